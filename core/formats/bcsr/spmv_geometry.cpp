#include "core/formats/bcsr/spmv_geometry.hpp"

namespace sparsecast {

double blocks_of_pass(int block_size, int value_bytes, int lanes) {
  constexpr int twice = 2;
  if (block_size == 1) return twice * csr_step * lanes;
  // Registers hold two items of so many bytes (core/formats/bcsr/cuda/spmv_storage.cuh).
  constexpr int most_bytes_of_two = 36;
  const int items = items_per_block(block_size);
  const int bytes = block_size * block_size * value_bytes / items;
  return static_cast<double>((bytes <= most_bytes_of_two ? twice : 1) * lanes) / items;
}

int blocks_of_stream_pass(int block_size, int value_bytes) {
  constexpr int warp = 32;
  const int bytes = block_size * block_size * value_bytes;
  return warp * (bytes > 16 && bytes <= 36 ? 4 : 2);  // core/formats/bcsr/cuda/spmv_rows.cuh
}

int blocks_before_row(int block_size) {
  return block_size == 1 ? csr_step - 1 : 0;
}

int resident_thread_blocks(int block_size, int value_bytes, bool streams, bool sums) {
  const RowKernel kernel = streams ? RowKernel::streams : RowKernel::rows;
  const int least = least_resident_blocks(block_size, value_bytes, kernel, sums);
  if (least > 1) return least;
  const bool is_single = value_bytes == 4;
  switch (block_size) {
    case 4:
      return is_single ? 4 : 3;
    case 8:
      return is_single ? 4 : 2;
    default:
      return is_single ? 3 : 2;
  }
}

}  // namespace sparsecast
