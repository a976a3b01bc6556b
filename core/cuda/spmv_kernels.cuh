#pragma once

#include <algorithm>

#include "core/cuda/spmv.cuh"
#include "core/error.hpp"

/// @file
/// The kernels of SpMV, for one source file per precision.

namespace sparsecast::cuda {
namespace {

/// CSR: a lane takes four neighbouring elements from an aligned position at a time.
template <class T, class Offset>
struct CsrStorage {
  using Value = T;
  using OffsetType = Offset;
  static constexpr int block_size = 1;
  static constexpr int lanes_per_block = 1;
  static constexpr int row_sums = 1;
  static constexpr int step = csr_step;
  static constexpr int at_once = 2;  ///< groups of four that are loaded before the first is used

  const Offset* offsets;
  const std::int32_t* columns;
  const T* values;

  /// Adds this lane's share of elements [begin, end).
  template <int lanes>
  __device__ void accumulate(T (&sums)[1], Offset begin, Offset end, int lane,
                             const T* input) const {
    constexpr int parts = step / Pack<T>::size;
#pragma unroll 1
    for (Offset first = begin / step + lane; first * step < end; first += at_once * lanes) {
      Pack<std::int32_t> columns_here[at_once] = {};
      Pack<T> values_here[at_once][parts] = {};
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const Offset group = first + u * lanes;
        if (group * step >= end) continue;
        columns_here[u] =
            load_constant(reinterpret_cast<const Pack<std::int32_t>*>(columns) + group);
#pragma unroll
        for (int p = 0; p < parts; ++p) {
          values_here[u][p] =
              load_constant(reinterpret_cast<const Pack<T>*>(values) + group * parts + p);
        }
      }
      T inputs[at_once][step];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
#pragma unroll
        for (int k = 0; k < step; ++k) {
          const Offset element = (first + u * lanes) * step + k;
          const bool ours = element >= begin && element < end;
          inputs[u][k] = ours ? __ldg(input + columns_here[u].values[k]) : T{0};
          if (!ours) values_here[u][k / Pack<T>::size].values[k % Pack<T>::size] = 0;
        }
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
#pragma unroll
        for (int k = 0; k < step; ++k) {
          sums[0] += values_here[u][k / Pack<T>::size].values[k % Pack<T>::size] * inputs[u][k];
        }
      }
    }
  }
};

/// BCSR: a lane takes an item at a time.
template <class T, int N, class Offset>
struct BcsrStorage {
  using Value = T;
  using OffsetType = Offset;
  using Item = ItemShape<T, N>;
  static constexpr int block_size = N;
  static constexpr int lanes_per_block = Item::per_block;
  static constexpr int row_sums = Item::rows;
  /// Items that are loaded before the first is used: two small ones (on an H200, two of N = 3 in
  /// f64 took 6 % longer than one).
  static constexpr int at_once = Item::values * static_cast<int>(sizeof(T)) <= 36 ? 2 : 1;

  const Offset* offsets;
  const std::int32_t* columns;
  const T* values;

  template <int lanes>
  __device__ void accumulate(T (&sums)[row_sums], Offset begin, Offset end, int lane,
                             const T* input) const {
    using ValueUnit = Unit<T, Item::unit>;
    constexpr int input_unit = unit_size<T>(N);
    using InputUnit = Unit<T, input_unit>;
    constexpr int stride = lanes / lanes_per_block;
    const int share = lane % lanes_per_block;
#pragma unroll 1
    for (Offset first = begin + lane / lanes_per_block; first < end; first += at_once * stride) {
      ValueUnit a[at_once][Item::units] = {};
      InputUnit x[at_once][N / input_unit] = {};
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const Offset block = first + u * stride;
        if (block >= end) continue;
        const Offset item = block * lanes_per_block + share;
        const auto* units = reinterpret_cast<const ValueUnit*>(values) +
                            item / Item::group * (Item::group * Item::units) + item % Item::group;
        const auto* input_units = reinterpret_cast<const InputUnit*>(
            input + static_cast<std::int64_t>(__ldg(columns + block)) * N);
#pragma unroll
        for (int k = 0; k < Item::units; ++k) a[u][k] = load_constant(units + k * Item::group);
#pragma unroll
        for (int k = 0; k < N / input_unit; ++k) x[u][k] = load_constant(input_units + k);
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
#pragma unroll
        for (int i = 0; i < Item::rows; ++i) {
#pragma unroll
          for (int j = 0; j < N; ++j) {
            const int value = i * N + j;
            sums[i] += a[u][value / Item::unit].values[value % Item::unit] *
                       x[u][j / input_unit].values[j % input_unit];
          }
        }
      }
    }
  }
};

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
  const std::int64_t block_row =
      map.row_index != nullptr ? std::int64_t{map.row_index[stored_row]} : stored_row;
  const std::int64_t first = block_row * Storage::block_size + lane * Storage::row_sums;
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
  a.template accumulate<warp_size>(sums, begin, begin + piece.length, lane, input);
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
      if (here) a.template accumulate<lanes>(sums, begin, end, lane, input);
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
  if constexpr (sizeof(typename Storage::OffsetType) == 8) {
    // Rare enough to do with fewer kernels.
    if (m.lanes <= 8) {
      return launch_kernel<Storage, 8>(gate, a, m);
    }
    return launch_kernel<Storage, 32>(gate, a, m);
  } else {
    switch (m.lanes) {
      case 1:
        return launch_kernel<Storage, 1>(gate, a, m);
      case 2:
        return launch_kernel<Storage, 2>(gate, a, m);
      case 4:
        return launch_kernel<Storage, 4>(gate, a, m);
      case 8:
        return launch_kernel<Storage, 8>(gate, a, m);
      case 16:
        return launch_kernel<Storage, 16>(gate, a, m);
      default:
        return launch_kernel<Storage, 32>(gate, a, m);
    }
  }
}

template <class T, class Offset>
Launch launch_with_offsets(const Multiplication<T>& m, const Offset* offsets, const Gate& gate) {
  return with_block_size(m.block_size, [&](auto size) {
    if constexpr (size() == 1) {
      return launch_with_lanes(CsrStorage<T, Offset>{offsets, m.columns, m.values}, m, gate);
    } else {
      return launch_with_lanes(BcsrStorage<T, size(), Offset>{offsets, m.columns, m.values}, m,
                               gate);
    }
  });
}

}  // namespace

template <class T>
Launch spmv_launch(const Multiplication<T>& m, const Gate& gate) {
  return m.offsets32 != nullptr ? launch_with_offsets(m, m.offsets32, gate)
                                : launch_with_offsets(m, m.offsets64, gate);
}

}  // namespace sparsecast::cuda
