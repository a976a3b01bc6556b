#pragma once

/// @file
/// What the CUDA kernels of SpMV load before they use the first of it, as plain numbers.

namespace sparsecast {

/// How many blocks of a block row `lanes` threads take in a pass, all loads of which are under way
/// before the first is used; below 1 where several passes go to one block.
double blocks_of_pass(int block_size, int value_bytes, int lanes);

/// The same of a warp that takes its block rows as one stream.
int blocks_of_stream_pass(int block_size, int value_bytes);

/// A row's share of a pass begins anywhere in it where rows are loaded from aligned places: so many
/// blocks more at most.
int blocks_before_row(int block_size);

}  // namespace sparsecast
