#pragma once

#include <algorithm>

#include "core/base/error.hpp"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/bcsr/cuda/spmv_rows.cuh"

/// @file
/// The kernels of SpMV, for one source file per block size.

namespace sparsecast::cuda {
namespace {

/// One piece of a long row, by one warp. Whoever finishes the last piece of a row adds the pieces
/// up, in their order. Returns the lane's part of input . output, except of rows of several pieces:
/// their parts, which no particular block adds, lie at `row_products` plus their first piece.
template <class Storage>
__device__ double multiply_piece(const Storage& a, const RowMap& map, const HaloWait& halo,
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
  if (halo.outside != nullptr) await_input(halo, concerns(halo, map.natural(piece.row)));
  a.template accumulate<warp_size>(sums, begin, begin + piece.length, lane, piece.row, input);
  add_lanes<Storage, warp_size>(sums);
  const bool writes = lane < Storage::lanes_per_block;
  if (piece.pieces == 1) {
    return writes ? write_rows<Storage>(sums, map, piece.row, lane, dot, output) : 0;
  }
  if (writes) {
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
  double product = writes ? write_rows<Storage>(sums, map, piece.row, lane, dot, output) : 0;
  if (lane == 0) long_rows.done[piece.first] = 0;
  if (dot == nullptr) return 0;
#pragma unroll
  for (int offset = Storage::lanes_per_block / 2; offset > 0; offset /= 2) {
    product += __shfl_xor_sync(whole_warp, product, offset);
  }
  if (lane == 0) row_products[piece.first] = product;
  return 0;
}

template <class Storage, int lanes>
constexpr RowKernel kernel_of = row_kernel(Storage::block_size, lanes);

template <class Storage, int lanes, bool finishes>
constexpr int least_blocks_of = least_resident_blocks(Storage::block_size,
                                                      sizeof(typename Storage::Value),
                                                      kernel_of<Storage, lanes>, finishes);

/// The first blocks of the grid take long rows, the others short ones. Sums and what follows them
/// cost registers and shared memory, which a plain multiplication better has for itself.
template <class Storage, int lanes, bool finishes>
__global__ void __launch_bounds__(threads_of<Storage, lanes>,
                                  resident_blocks_of(threads_of<Storage, lanes>,
                                                     least_blocks_of<Storage, lanes, finishes>))
    spmv(Gate gate, Storage a, RowMap map, LongRows<typename Storage::Value> long_rows,
         Spread spread, const typename Storage::Value* input, typename Storage::Value* output,
         const __grid_constant__ HaloWait halo, const __grid_constant__ BlockFinish finish) {
  constexpr RowKernel kernel = kernel_of<Storage, lanes>;
  const int thread = static_cast<int>(threadIdx.x);
  const int block = static_cast<int>(blockIdx.x) - long_rows.blocks;
  const Groups groups = groups_of_block(spread, block);
  // No kernel writes the matrix.
  RowRange<typename Storage::OffsetType> range;
  if (kernel == RowKernel::rows && block >= 0) {
    range = row_of_group<Storage, lanes>(a, map, halo, groups.first);
  }
  wait_for_kernel_before();
  if (!enters(gate)) return;
  const auto* dot = finishes ? input : nullptr;
  double products[1] = {0};
  if (block < 0) {
    const int index = static_cast<int>(blockIdx.x) * (threads_of<Storage, lanes> / warp_size) +
                      thread / warp_size;
    if (index < long_rows.count) {
      products[0] = multiply_piece(a, map, halo, long_rows, index, thread % warp_size, input, dot,
                                   finish.partials + gridDim.x, output);
    }
  } else if constexpr (kernel == RowKernel::streams) {
    products[0] = multiply_streams(a, map, halo, long_rows.longest_short_row, spread.together,
                                   groups, input, dot, output);
  } else {
    products[0] = multiply_rows<Storage, lanes, !finishes>(
        a, map, halo, long_rows.longest_short_row, groups, range, input, dot, output);
  }
  if constexpr (finishes) finish_block<threads_of<Storage, lanes>>(finish, products);
}

/// How the short rows are spread over thread blocks.
template <class Storage, int lanes, bool finishes>
Spread spread_rows(const Multiplication<typename Storage::Value>& m) {
  Spread spread;
  spread.groups = m.execution.blocks;
  spread.together =
      static_cast<int>(m.execution.rows_per_block / (threads_of<Storage, lanes> / warp_size));
  spread.blocks = spread.abreast = spread.span = spread.groups;
  // Sums are the cheaper the fewer blocks add to them; more than run at a time gain nothing then,
  // until these drift so far apart that they no longer share what caches hold.
  if constexpr (finishes) {
    const std::int64_t resident =
        resident_blocks(spmv<Storage, lanes, finishes>, threads_of<Storage, lanes>);
    spread.abreast = std::min({spread.groups, m.most_blocks, resident});
    spread.span = std::min(spread.groups, spread.abreast * m.most_groups);
    const std::int64_t whole = spread.span > 0 ? (spread.groups - 1) / spread.span : 0;
    spread.blocks =
        whole * spread.abreast + std::min(spread.abreast, spread.groups - whole * spread.span);
  }
  return spread;
}

template <class Storage, int lanes, bool finishes>
Launch launch_spread(const Gate& gate, const Storage& a,
                     const Multiplication<typename Storage::Value>& m) {
  LongRows<typename Storage::Value> long_rows = m.long_rows;
  long_rows.blocks = static_cast<int>(m.execution.piece_blocks());
  const Spread spread = spread_rows<Storage, lanes, finishes>(m);
  const std::int64_t blocks = std::max<std::int64_t>(1, long_rows.blocks + spread.blocks);
  BlockFinish finish = m.finish;
  finish.parts = blocks + long_rows.count;
  return [=, map = m.map, input = m.input, output = m.output, halo = m.halo](cudaStream_t stream) {
    launch_early(spmv<Storage, lanes, finishes>, static_cast<unsigned>(blocks),
                 threads_of<Storage, lanes>, stream, gate, a, map, long_rows, spread, input, output,
                 halo, finish);
  };
}

template <class Storage, int lanes>
Launch launch_kernel(const Gate& gate, const Storage& a,
                     const Multiplication<typename Storage::Value>& m) {
  if constexpr (lanes < Storage::lanes_per_block) {
    throw Error("fewer lanes than a block has parts");
  } else {
    return m.finish.active() ? launch_spread<Storage, lanes, true>(gate, a, m)
                             : launch_spread<Storage, lanes, false>(gate, a, m);
  }
}

template <class Storage>
Launch launch_with_lanes(const Storage& a, const Multiplication<typename Storage::Value>& m,
                         const Gate& gate) {
  // Kernels for large blocks are fewer, to be compiled sooner: they are not for short rows.
  if constexpr (Storage::block_size <= 3) {
    if (m.execution.lanes == 1) return launch_kernel<Storage, 1>(gate, a, m);
    if (m.execution.lanes == 2) return launch_kernel<Storage, 2>(gate, a, m);
  }
  if (m.execution.lanes <= 4) return launch_kernel<Storage, 4>(gate, a, m);
  if (m.execution.lanes == 16) return launch_kernel<Storage, 16>(gate, a, m);
  if (m.execution.lanes <= 8) return launch_kernel<Storage, 8>(gate, a, m);
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

template <int N, class Offset, class T>
Launch launch_columns(const Multiplication<T>& m, const Offset* offsets, const Gate& gate) {
  if constexpr (has_narrow_kernels(N)) {
    if (m.columns16 != nullptr) return launch_storage<N>(m, offsets, m.columns16, gate);
  }
  return launch_storage<N>(m, offsets, m.columns, gate);
}

}  // namespace

template <int N, class T>
Launch spmv_launch_of_size(const Multiplication<T>& m, const Gate& gate) {
  if (m.offsets64 != nullptr) return launch_columns<N>(m, m.offsets64, gate);
  return launch_columns<N>(m, m.offsets32, gate);
}

}  // namespace sparsecast::cuda
