#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/bcsr/bcsr_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// A matrix cut for a kernel that stays on the GPU for all iterations: a segment of neighbouring
/// rows for each of its thread blocks, which keeps as much of the segment as fits in its shared
/// memory, with everything that a multiplication of the segment needs from the input. All of it is
/// decided on the host, by the back end as by predictions.

namespace sparsecast {

/// The launch that a matrix is cut for.
struct PersistentShape {
  int blocks = 1;                 ///< all resident at once
  int threads = 256;              ///< of a block, a multiple of 32, at least 64
  int lanes = 1;                  ///< that share a block row at least, a power of two up to 32
  std::int64_t shared_bytes = 0;  ///< of a block, at most; dynamic
  /// Of the matrix values of a segment that do not fit there, so many bytes are to stay in the L2
  /// cache; what is beyond is read past it.
  std::int64_t cached_bytes = 0;
  /// The blocks are one cluster, and read each other's shared memory.
  bool clustered = false;
};

/// Bytes of shared memory that the kernel's own variables take, at most.
inline constexpr std::int64_t persistent_kernel_bytes = 2048;

/// The block size that the kernel works on for a layout: 3 where its blocks are made of 3 x 3 ones,
/// else 1.
constexpr int persistent_block_size(int block_size) {
  return block_size % 3 == 0 ? 3 : 1;
}

/// For a matrix of this size in blocks of `persistent_block_size`. Clustered if it has few blocks
/// enough, whether or not the GPU can.
PersistentShape persistent_shape(const SegmentShape& segment, const GpuShape& gpu,
                                 const CudaPolicy& policy);

/// What one thread block works on. It holds a *window* of the multiplied vector in shared memory:
/// first its own values, then the *halo*, the block columns of other segments that its rows have
/// entries in. Column indices count from the window's begin and so need 16 bits. Behind it there
/// is room for the *pieces* of sums.
///
/// Block rows are stored by falling length, cut into *slices*: what a warp takes at a time. A
/// slice is made of steps of 32 blocks, one a lane, with the values interleaved: of each step
/// first all first values, then all second ones, and so on. Short rows are filled up with zeros.
/// A row is shared by as many lanes as the shape says; by more, up to 32, where its lanes would
/// take many more steps than a mean row's and than half of what a warp has to do; and where that
/// is not enough it is cut into several slices, whose sums are pieces of the row's.
struct PersistentSegment {
  std::int32_t first_row = 0;   ///< unknown
  std::int32_t rows = 0;        ///< unknowns
  std::int32_t own = 0;         ///< values at the front of the window: the block rows' unknowns
  std::int32_t halo = 0;        ///< block columns
  std::int32_t halo_begin = 0;  ///< in the list of halo columns
  std::int32_t slices = 0;
  std::int32_t resident_slices = 0;  ///< the first slices, whose steps are in shared memory
  std::int32_t resident_steps = 0;
  std::int32_t cached_slices = 0;  ///< the first slices, resident ones among them
  std::int32_t slots = 0;
  std::int32_t splits = 0;       ///< block rows cut into pieces
  std::int64_t slice_begin = 0;  ///< in the list of slices; one more per segment than slices
  std::int64_t slot_begin = 0;   ///< in the list of slots
  std::int64_t split_begin = 0;  ///< in the list of splits
  std::int64_t step_begin = 0;   ///< in columns and values, in steps
  /// Where in shared memory things are, in bytes; -1: they are in global memory only.
  std::int32_t x_at = -1;
  std::int32_t u_at = -1;
  std::int32_t z_at = -1;
  std::int32_t c_at = -1;
  std::int32_t d_at = -1;
  std::int32_t halo_at = -1;
  std::int32_t exported_at = -1;
  std::int32_t slices_at = -1;
  std::int32_t slots_at = -1;
  std::int32_t splits_at = -1;
  std::int32_t columns_at = -1;
  std::int32_t values_at = -1;
};

/// The slice of a warp.
struct alignas(8) PersistentSlice {
  std::uint32_t step = 0;    ///< of the segment, where it begins
  std::uint32_t packed = 0;  ///< 8 * its first slot in the segment + log2 of the lanes of a slot

  PersistentSlice() = default;
  PersistentSlice(std::uint32_t first_step, std::uint32_t first_slot, int lanes_log2)
      : step(first_step), packed(first_slot * 8 + static_cast<std::uint32_t>(lanes_log2)) {}
};

/// What some lanes of a slice work on: block row (local) and, of a row in pieces, 1 + the number
/// of the piece in the segment, else 0. All bits are set where there is no row for them.
struct alignas(4) PersistentSlot {
  std::uint16_t row = 0xffff;
  std::uint16_t piece = 0xffff;
};

/// A block row in pieces.
struct PersistentSplit {
  std::int32_t row = 0;          ///< local
  std::int32_t first_piece = 0;  ///< of the segment
  std::int32_t pieces = 0;
};

/// A matrix cut into segments, on the host: all that is known before its values are copied.
struct PersistentCut {
  PersistentShape shape;
  int block_size = 1;
  std::int64_t rows = 0;
  std::int64_t block_rows = 0;
  std::int64_t steps = 0;
  std::vector<PersistentSegment> segments;
  std::vector<PersistentSlice> slices;
  std::vector<PersistentSlot> slots;
  std::vector<PersistentSplit> splits;
  std::vector<std::int32_t> halo_columns;
  /// Whether every window fits in shared memory; if not nothing more can be done with the cut.
  bool fits = false;
  /// Whether no segment has many times the steps that its share of the blocks makes: neither do
  /// rows of very different lengths fill it with zeros, nor has it a row for many segments.
  bool balanced = false;
  std::int64_t window_bytes = 0;  ///< of shared memory, that the largest window needs
  std::int64_t most_steps = 0;    ///< of a segment
  /// That an iteration of conjugate gradients moves between shared memory and the rest of the GPU,
  /// without what thread blocks tell each other.
  std::int64_t moved_bytes = 0;

  /// On the device, with values of so many bytes.
  std::int64_t bytes(int value_bytes) const;
};

/// N = 1 or 3; for values of so many bytes on the GPU. The cut's shape is not clustered if a
/// segment has no room in shared memory for what the kernel then needs there. On `threads` threads
/// (0: all).
PersistentCut cut_persistent(const BlockPatternView& matrix, const PersistentShape& shape,
                             int value_bytes, int threads = 0);

/// What is known of a matrix of which only numbers are.
struct PersistentNumbers {
  double halo = 0;   ///< block columns that segments look up in others, summed over the segments
  double steps = 0;  ///< of 32 lanes, of all rows
  double longest_row = 0;  ///< blocks
};

/// The cut of a matrix of this size, natural row order and N = 1 or 3, with all segments alike.
PersistentCut estimate_persistent_cut(const SegmentShape& segment, int block_size,
                                      const PersistentShape& shape, int value_bytes,
                                      const PersistentNumbers& numbers);

}  // namespace sparsecast
