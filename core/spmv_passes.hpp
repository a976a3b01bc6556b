#pragma once

/// @file
/// What the CUDA kernels of SpMV load before they use the first of it, and how many of their thread
/// blocks run at a time, as plain numbers.

namespace sparsecast {

/// How many blocks of a block row `lanes` threads take in a pass, all loads of which are under way
/// before the first is used; below 1 where several passes go to one block.
double blocks_of_pass(int block_size, int value_bytes, int lanes);

/// The same of a warp that takes its block rows as one stream.
int blocks_of_stream_pass(int block_size, int value_bytes);

/// A row's share of a pass begins anywhere in it where rows are loaded from aligned places: so many
/// blocks more at most.
int blocks_before_row(int block_size);

/// Thread blocks that a multiprocessor has registers and threads for, of one with room for 65536
/// and 2048. The kernels' registers are those of their `__launch_bounds__` and, for blocks, what
/// CUDA 13.0 gives them on compute capability 9.0 (`nvcc --resource-usage`).
int resident_thread_blocks(int block_size, int value_bytes, bool streams, bool sums);

}  // namespace sparsecast
