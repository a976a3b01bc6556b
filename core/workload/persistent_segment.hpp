#pragma once

#include <cstdint>

/// @file
/// How the matrix of a persistent kernel lies in memory, on the host as on a GPU
/// (`core/analysis/persistent_cut.hpp`). Also compiled when a schedule is prepared (NVRTC): no
/// header of the host here.

namespace sparsecast {

/// Vectors whose rows a persistent kernel may keep, windows not among them.
inline constexpr int most_persistent_vectors = 16;

/// Of a value on its way from the thread block that has it to others, with the tag of its
/// iteration; a power of two.
constexpr int halo_packet_bytes(int value_bytes) {
  return 2 * value_bytes;
}

/// What one thread block works on. It holds a *window* of each multiplied vector in shared memory:
/// first its own values, then the *halo*, the block columns of other segments that its rows have
/// entries in. Column indices count from the window's begin and so need 16 bits. Behind the windows
/// there is room for the *pieces* of sums, then for the halos of other vectors.
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
  std::int32_t pieces_at = -1;
  std::int32_t kept_halos_at = -1;  ///< one behind the other
  std::int32_t vector_at[most_persistent_vectors];
  std::int32_t halo_at = -1;
  std::int32_t exported_at = -1;
  std::int32_t slices_at = -1;
  std::int32_t slots_at = -1;
  std::int32_t splits_at = -1;
  std::int32_t columns_at = -1;
  std::int32_t values_at = -1;

  PersistentSegment() {
    for (std::int32_t& at : vector_at) at = -1;
  }
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

}  // namespace sparsecast
