#pragma once

/// @file
/// How the threads of the CUDA kernels of SpMV share rows, what they load before they use the first
/// of it, and how many of their thread blocks run at a time, as plain numbers.

namespace sparsecast {

/// How short block rows are multiplied.
enum class RowKernel {
  streams,  ///< a warp takes block rows as one stream of blocks
  rows,     ///< lanes share a block row
};
constexpr RowKernel row_kernel(int block_size, int lanes) {
  return (block_size == 2 || block_size == 3) && lanes == 32 ? RowKernel::streams : RowKernel::rows;
}

/// Threads of a block. Where a row has its own lanes, more rows share the input in the first-level
/// cache.
constexpr int spmv_threads(int block_size, int lanes) {
  return row_kernel(block_size, lanes) == RowKernel::rows ? 256 : 128;
}

/// A lane of a warp works on an *item* of BCSR at a time: a block, or an equal share of its rows.
constexpr int items_per_block(int block_size) {
  return block_size == 8 ? 4 : block_size == 6 ? 2 : 1;
}

/// The most values of so many bytes that one instruction loads, 16 bytes at most, of an array that
/// is cut into pieces of `pieces` values.
constexpr int unit_size(int pieces, int value_bytes) {
  int size = 16 / value_bytes;
  while (pieces % size != 0) size /= 2;
  return size;
}

/// Thread blocks of SpMV that a multiprocessor must have registers for (`__launch_bounds__`), of
/// kernels with offsets of 32 bits. Streams and rows of CSR wait for memory: fewer registers leave
/// room for more warps with loads under way. Chosen by measurement; sums at the end of a kernel
/// take some registers, too.
constexpr int least_resident_blocks(int block_size, int value_bytes, RowKernel kernel, bool sums) {
  const bool is_single = value_bytes == 4;
  if (kernel == RowKernel::streams) return block_size == 2 && is_single ? 12 : 7;
  if (block_size > 1) return 1;
  return is_single && !sums ? 8 : 6;
}

/// Elements of a row in CSR that a lane loads at a time, from a position that is a multiple of it.
inline constexpr int csr_step = 4;

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
