#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/bcsr/bcsr_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/persistent_needs.hpp"
#include "core/workload/persistent_segment.hpp"
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

/// The block size that the kernel works on for a layout: 3 where its blocks are made of 3 x 3 ones,
/// else 1.
constexpr int persistent_block_size(int block_size) {
  return block_size % 3 == 0 ? 3 : 1;
}

/// For a matrix of this size in blocks of `persistent_block_size`. Clustered if it has few blocks
/// enough, whether or not the GPU can.
PersistentShape persistent_shape(const SegmentShape& segment, const GpuShape& gpu,
                                 const CudaPolicy& policy, const PersistentNeeds& needs = {});

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
  std::int64_t window_bytes = 0;     ///< of shared memory, that the largest window needs
  std::int64_t most_steps = 0;       ///< of a segment
  std::int64_t most_halo_lines = 0;  ///< of 128 bytes, that a segment's halo comes in
  /// That an iteration moves between shared memory and the rest of the GPU, without what thread
  /// blocks tell each other.
  std::int64_t moved_bytes = 0;
  std::int64_t most_moved_bytes = 0;  ///< of a segment

  /// On the device, with values of so many bytes.
  std::int64_t bytes(int value_bytes) const;
};

/// Segments that a thread of the host takes at least, where all hold so many values: a thread that
/// wakes costs as much as some ten thousand values.
std::int64_t persistent_segments_of_thread(const PersistentShape& shape, std::int64_t values);

/// N = 1 or 3; for values of so many bytes on the GPU, and what a solver keeps besides. The cut's
/// shape is not clustered if a segment has no room in shared memory for what the kernel then needs
/// there. On `threads` threads (0: all).
PersistentCut cut_persistent(const BlockPatternView& matrix, const PersistentShape& shape,
                             int value_bytes, const PersistentNeeds& needs = {}, int threads = 0);

/// What is known of a matrix of which only numbers are.
struct PersistentNumbers {
  double halo = 0;   ///< block columns that segments look up in others, summed over the segments
  double steps = 0;  ///< of 32 lanes, of all rows
  double longest_row = 0;  ///< blocks
};

/// The cut of a matrix of this size, natural row order and N = 1 or 3, with all segments alike.
PersistentCut estimate_persistent_cut(const SegmentShape& segment, int block_size,
                                      const PersistentShape& shape, int value_bytes,
                                      const PersistentNumbers& numbers,
                                      const PersistentNeeds& needs = {});

}  // namespace sparsecast
