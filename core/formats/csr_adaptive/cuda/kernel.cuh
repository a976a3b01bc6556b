#pragma once

#include <cstdint>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/csr_adaptive/geometry.hpp"
#include "core/formats/csr_adaptive/row_blocks.hpp"

/// @file
/// The kernel of CSR-Adaptive: a thread block takes a row block. It loads all columns and values
/// before the kernel in front has ended, then gathers, keeps the products in shared memory and adds
/// them up row by row. Each load is of neighbouring entries by neighbouring lanes: what one takes
/// in two halves is gone from the first-level cache before the second, where gathers fill it.

namespace sparsecast::cuda {

/// A segment in device memory, as `AdaptiveMatrix`.
template <class T>
struct AdaptiveStorage {
  const RowBlock* blocks = nullptr;
  const std::uint16_t* row_ends = nullptr;
  const std::uint8_t* columns = nullptr;
  const T* values = nullptr;
  /// One for each block; 0 before and after each launch.
  double* piece_sums = nullptr;
};

constexpr int adaptive_entries_of_thread = row_block_capacity / adaptive_threads;

/// A thread's entries of a row block: every `adaptive_threads`-th from its own index on.
template <class T>
struct ThreadEntries {
  std::int32_t columns[adaptive_entries_of_thread];
  T values[adaptive_entries_of_thread];
};

/// `passes`: it is read once and is not to stay in the caches.
template <bool passes, class U>
__device__ U load_entry(const U* address) {
  return passes ? __ldcs(address) : __ldg(address);
}

template <bool passes, class Column, class T>
__device__ void load_entries(ThreadEntries<T>& mine, const RowBlock& block, const Column* columns,
                             const T* values) {
  const int end = block.lead() + block.entries;
#pragma unroll
  for (int u = 0; u < adaptive_entries_of_thread; ++u) {
    const int k = u * adaptive_threads + static_cast<int>(threadIdx.x);
    const bool is_entry = k >= block.lead() && k < end;
    mine.columns[u] = is_entry ? static_cast<std::int32_t>(load_entry<passes>(columns + k)) : 0;
  }
#pragma unroll
  for (int u = 0; u < adaptive_entries_of_thread; ++u) {
    const int k = u * adaptive_threads + static_cast<int>(threadIdx.x);
    if (k >= block.lead() && k < end) mine.values[u] = load_entry<passes>(values + k);
  }
}

/// Lanes, as a power of two, that add up a row: as many as there are for each row.
__device__ inline int lanes_exponent(int rows) {
  const int lanes = adaptive_threads / max(rows, 1);
  return lanes > 1 ? min(5, 31 - __clz(lanes)) : 0;
}

/// Writes the sums of a block's rows, of which `products` has the entries.
template <class T>
__device__ void add_rows(const RowBlock& block, const std::uint16_t* row_ends, const T* products,
                         T* output) {
  const int exponent = lanes_exponent(block.rows);
  const int lanes = 1 << exponent;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread & (lanes - 1);
  // Whole warps stay together: rows behind the last have no entries.
  for (int first = 0; first < block.rows; first += adaptive_threads >> exponent) {
    const int row = first + (thread >> exponent);
    const bool has_row = row < block.rows;
    const int begin = !has_row || row == 0 ? block.lead() : __ldg(row_ends + row - 1);
    const int end = has_row ? __ldg(row_ends + row) : begin;
    T sum = 0;
    for (int k = begin + lane; k < end; k += lanes) sum += products[k];
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
      sum += __shfl_xor_sync(whole_warp, sum, offset);
    }
    if (has_row && lane == 0) output[block.first_row + row] = sum;
  }
}

/// The same of a piece of a row: the block of the last one waits for those in front of it, which
/// have begun before it.
template <class T>
__device__ void add_piece(const RowBlock& block, double* piece_sums, const T* products, T* output) {
  const int thread = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int k = block.lead() + thread; k < block.lead() + block.entries; k += adaptive_threads) {
    sum += static_cast<double>(products[k]);
  }
  double* const own = piece_sums + blockIdx.x;
  if (!block.more_pieces) {
    for (int i = thread; i < block.pieces_before; i += adaptive_threads) {
      sum += take_part(own - block.pieces_before + i);
    }
  }
  sum = block_sum<adaptive_threads>(sum);
  if (thread != 0) return;
  if (block.more_pieces) {
    publish_part(own, sum);
  } else {
    output[block.first_row] = static_cast<T>(sum);
  }
}

/// Ends with no sum: it costs each of the many thread blocks more than a further kernel takes.
template <class T, bool passes>
__global__ void __launch_bounds__(adaptive_threads,
                                  resident_blocks_of(adaptive_threads, adaptive_resident_blocks))
    multiply_row_blocks(Gate gate, const AdaptiveStorage<T> a, const T* input, T* output) {
  __shared__ T products[row_block_capacity];
  // No kernel writes the matrix.
  const RowBlock block = a.blocks[blockIdx.x];
  const T* const values = a.values + (block.first_entry - block.lead());
  const std::uint8_t* const columns =
      a.columns + std::int64_t{block.first_column_unit} * column_unit_bytes;
  ThreadEntries<T> mine;
  if (block.column_bytes == 2) {
    load_entries<passes>(mine, block, reinterpret_cast<const std::uint16_t*>(columns), values);
  } else {
    load_entries<passes>(mine, block, reinterpret_cast<const std::uint32_t*>(columns), values);
  }
  wait_for_kernel_before();
  if (!enters(gate)) return;
  const T* const from = input + block.base;
#pragma unroll
  for (int u = 0; u < adaptive_entries_of_thread; ++u) {
    const int k = u * adaptive_threads + static_cast<int>(threadIdx.x);
    // Others may have stored the input since this kernel began: no read-only load.
    if (k >= block.lead() && k < block.lead() + block.entries) {
      products[k] = mine.values[u] * from[mine.columns[u]];
    }
  }
  __syncthreads();
  if (block.is_piece()) {
    add_piece(block, a.piece_sums, products, output);
  } else {
    add_rows(block, a.row_ends + block.first_row, products, output);
  }
}

}  // namespace sparsecast::cuda
