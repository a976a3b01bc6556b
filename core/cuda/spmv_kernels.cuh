#pragma once

#include <algorithm>

#include "core/cuda/spmv_storage.cuh"
#include "core/error.hpp"

/// @file
/// The kernels of SpMV, for one source file per block size.

namespace sparsecast::cuda {
namespace {

template <class Storage>
using RowSums = typename Storage::Value[Storage::row_sums];

/// Adds up over groups of `lanes` lanes; afterwards the first lane for each share of a block row
/// has the sums of its rows.
template <class Storage, int lanes>
__device__ void add_lanes(RowSums<Storage>& sums) {
#pragma unroll
  for (int offset = lanes / 2; offset >= Storage::lanes_per_block; offset /= 2) {
#pragma unroll
    for (int i = 0; i < Storage::row_sums; ++i) {
      sums[i] += __shfl_xor_sync(whole_warp, sums[i], offset);
    }
  }
}

/// Returns the lane's part of input . output if `dot` is not null: the input there.
template <class Storage>
__device__ double write_rows(const RowSums<Storage>& sums, const RowMap& map,
                             std::int64_t stored_row, int lane, const typename Storage::Value* dot,
                             typename Storage::Value* output) {
  if (lane >= Storage::lanes_per_block) return 0;
  const std::int64_t first =
      std::int64_t{map.natural(stored_row)} * Storage::block_size + lane * Storage::row_sums;
  double product = 0;
#pragma unroll
  for (int i = 0; i < Storage::row_sums; ++i) {
    if (first + i >= map.rows) continue;
    output[first + i] = sums[i];
    if (dot != nullptr) {
      product += static_cast<double>(sums[i]) * static_cast<double>(__ldg(dot + first + i));
    }
  }
  return product;
}

/// One piece of a long row, by one warp. Whoever finishes the last piece of a row adds the pieces
/// up, in their order. Returns the lane's part of input . output, except of rows of several pieces:
/// their parts, which no particular block adds, lie at `row_products` plus their first piece.
template <class Storage>
__device__ double multiply_piece(const Storage& a, const RowMap& map,
                                 const LongRows<typename Storage::Value>& long_rows, int index,
                                 int lane, const typename Storage::Value* input,
                                 const typename Storage::Value* dot, double* row_products,
                                 typename Storage::Value* output) {
  using T = typename Storage::Value;
  using Offset = typename Storage::OffsetType;
  constexpr int n = Storage::block_size;
  const LongPiece piece = long_rows.pieces[index];
  RowSums<Storage> sums{};
  const auto begin = static_cast<Offset>(piece.begin);
  a.template accumulate<warp_size>(sums, begin, begin + piece.length, lane, map.natural(piece.row),
                                   input);
  add_lanes<Storage, warp_size>(sums);
  if (piece.pieces == 1) return write_rows<Storage>(sums, map, piece.row, lane, dot, output);
  if (lane < Storage::lanes_per_block) {
#pragma unroll
    for (int i = 0; i < Storage::row_sums; ++i) {
      long_rows.sums[std::int64_t{index} * n + lane * Storage::row_sums + i] = sums[i];
    }
    __threadfence();
  }
  __syncwarp();
  int earlier = 0;
  if (lane == 0) earlier = atomicAdd(long_rows.done + piece.first, 1);
  earlier = __shfl_sync(whole_warp, earlier, 0);
  if (earlier != piece.pieces - 1) return 0;
  __threadfence();
#pragma unroll
  for (int i = 0; i < Storage::row_sums; ++i) sums[i] = T{0};
  const int share = lane % Storage::lanes_per_block;
  for (int p = lane / Storage::lanes_per_block; p < piece.pieces;
       p += warp_size / Storage::lanes_per_block) {
#pragma unroll
    for (int i = 0; i < Storage::row_sums; ++i) {
      sums[i] += __ldcg(long_rows.sums + std::int64_t{piece.first + p} * n +
                        share * Storage::row_sums + i);
    }
  }
  add_lanes<Storage, warp_size>(sums);
  double product = write_rows<Storage>(sums, map, piece.row, lane, dot, output);
  if (lane == 0) long_rows.done[piece.first] = 0;
  if (dot == nullptr) return 0;
#pragma unroll
  for (int offset = Storage::lanes_per_block / 2; offset > 0; offset /= 2) {
    product += __shfl_xor_sync(whole_warp, product, offset);
  }
  if (lane == 0) row_products[piece.first] = product;
  return 0;
}

/// `lanes` neighbouring threads share a stored row; the first blocks of the grid take long rows,
/// the others `groups` groups of as many rows as they have threads for.
template <class Storage, int lanes>
__global__ void __launch_bounds__(spmv_threads)
    spmv(Gate gate, Storage a, RowMap map, LongRows<typename Storage::Value> long_rows,
         const typename Storage::Value* input, typename Storage::Value* output, int groups,
         BlockFinish finish) {
  if (!gate.enter()) return;
  using Offset = typename Storage::OffsetType;
  const int thread = static_cast<int>(threadIdx.x);
  const auto* dot = finish.active() ? input : nullptr;
  double products[1] = {0};
  if (static_cast<int>(blockIdx.x) < long_rows.blocks) {
    const int index =
        static_cast<int>(blockIdx.x) * (spmv_threads / warp_size) + thread / warp_size;
    if (index < long_rows.count) {
      products[0] = multiply_piece(a, map, long_rows, index, thread % warp_size, input, dot,
                                   finish.partials + gridDim.x, output);
    }
  } else {
    const std::int64_t first_group = (std::int64_t{blockIdx.x} - long_rows.blocks) * groups;
    const int lane = thread % lanes;
    for (int group = 0; group < groups; ++group) {
      const std::int64_t row = (first_group + group) * (spmv_threads / lanes) + thread / lanes;
      Offset begin = 0;
      Offset end = 0;
      if (row < map.block_rows) {
        begin = a.offsets[row];
        end = a.offsets[row + 1];
      }
      const bool here = row < map.block_rows &&
                        static_cast<std::int64_t>(end - begin) <= long_rows.longest_short_row;
      RowSums<Storage> sums{};
      if (here) a.template accumulate<lanes>(sums, begin, end, lane, map.natural(row), input);
      add_lanes<Storage, lanes>(sums);
      if (here) products[0] += write_rows<Storage>(sums, map, row, lane, dot, output);
    }
  }
  if (finish.active()) finish_block<spmv_threads>(finish, products);
}

template <class Storage, int lanes>
Launch launch_kernel(const Gate& gate, const Storage& a,
                     const Multiplication<typename Storage::Value>& m) {
  if constexpr (lanes < Storage::lanes_per_block) {
    throw Error("fewer lanes than a block has parts");
  } else {
    constexpr int rows = spmv_threads / lanes;
    LongRows<typename Storage::Value> long_rows = m.long_rows;
    long_rows.blocks = long_row_blocks(long_rows.count);
    const std::int64_t all_groups = (m.map.block_rows + rows - 1) / rows;
    const std::int64_t groups =
        m.finish.active() ? (all_groups + m.most_blocks - 1) / m.most_blocks : 1;
    const std::int64_t blocks = std::max<std::int64_t>(
        1, long_rows.blocks + (groups > 0 ? (all_groups + groups - 1) / groups : 0));
    BlockFinish finish = m.finish;
    finish.parts = blocks + long_rows.count;
    return [=, map = m.map, input = m.input, output = m.output](cudaStream_t stream) {
      spmv<Storage, lanes><<<static_cast<unsigned>(blocks), spmv_threads, 0, stream>>>(
          gate, a, map, long_rows, input, output, static_cast<int>(groups), finish);
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
    };
  }
}

template <class Storage>
Launch launch_with_lanes(const Storage& a, const Multiplication<typename Storage::Value>& m,
                         const Gate& gate) {
  // Kernels for offsets of 64 bits and for large blocks are fewer, to be compiled sooner: neither
  // is for short rows.
  constexpr bool few = sizeof(typename Storage::OffsetType) == 8;
  constexpr bool some = few || Storage::block_size > 3;
  if constexpr (!some) {
    if (m.lanes == 1) return launch_kernel<Storage, 1>(gate, a, m);
    if (m.lanes == 2) return launch_kernel<Storage, 2>(gate, a, m);
  }
  if constexpr (!few) {
    if (m.lanes <= 4) return launch_kernel<Storage, 4>(gate, a, m);
    if (m.lanes == 16) return launch_kernel<Storage, 16>(gate, a, m);
  }
  if (m.lanes <= 8) return launch_kernel<Storage, 8>(gate, a, m);
  return launch_kernel<Storage, 32>(gate, a, m);
}

template <int N, class Offset, class Column, class T>
Launch launch_storage(const Multiplication<T>& m, const Offset* offsets, const Column* columns,
                      const Gate& gate) {
  if constexpr (N == 1) {
    return launch_with_lanes(CsrStorage<T, Offset, Column>{offsets, columns, m.values}, m, gate);
  } else {
    return launch_with_lanes(BcsrStorage<T, N, Offset, Column>{offsets, columns, m.values}, m,
                             gate);
  }
}

}  // namespace

template <int N, class T>
Launch spmv_launch_of_size(const Multiplication<T>& m, const Gate& gate) {
  if (m.offsets64 != nullptr) return launch_storage<N>(m, m.offsets64, m.columns, gate);
  if constexpr (has_narrow_kernels(N)) {
    if (m.columns16 != nullptr) return launch_storage<N>(m, m.offsets32, m.columns16, gate);
  }
  return launch_storage<N>(m, m.offsets32, m.columns, gate);
}

}  // namespace sparsecast::cuda
