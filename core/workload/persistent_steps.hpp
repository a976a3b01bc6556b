#pragma once

#include <cstdint>

/// @file
/// How lanes and warps of a persistent kernel share the rows of a thread block's segment, as plain
/// numbers. A *step* is a stored block for each lane of a warp; a *slice* is the rows that a warp
/// takes at a time (`core/analysis/persistent_cut.hpp`).

namespace sparsecast {

/// So many steps a lane may take of a row without being waited for: what a warp has to do beside
/// them takes longer.
inline constexpr int few_steps_of_values = 8;
inline constexpr int few_steps_of_blocks = 4;

/// Steps whose loads from shared memory are under way at once, by the blocks that the kernel works
/// on; more is only overhead.
inline constexpr int steps_at_once_of_values = 4;
inline constexpr int steps_at_once_of_blocks = 1;
/// So many times more from global memory: as much as registers hold.
inline constexpr int more_steps_at_once = 2;

/// Values of the halo that a thread has on the way at once. The warp that waits for sums takes none
/// of the first, which the others wait for meanwhile.
inline constexpr int halo_values_at_once = 4;

/// The most steps that a lane is to take of one row: of a matrix of `blocks` stored blocks in
/// `block_rows` rows, each shared by `lanes`, in a segment with `segment_blocks` of them that
/// `threads` work on.
std::int64_t most_steps_of_a_row(int block_size, std::int64_t blocks, std::int64_t block_rows,
                                 int lanes, std::int64_t segment_blocks, int threads);

/// How many lanes share a row of so many blocks: `lanes`, doubled up to a warp's 32 until none has
/// more than `most_steps` to take, if that is enough.
int lanes_of_row(std::int64_t length, int lanes, std::int64_t most_steps);

}  // namespace sparsecast
