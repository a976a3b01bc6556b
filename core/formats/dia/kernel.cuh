#pragma once

#include <cstdint>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/dia/geometry.hpp"

/// @file
/// The kernel of DIA: a thread takes some neighbouring rows, a value of each diagonal with one
/// load, the values of a few diagonals before it uses the first. All diagonals are known without a
/// look at the matrix, so that the first of them are on their way before the kernel in front has
/// ended.

namespace sparsecast::cuda {

/// A segment in device memory, as `DiaMatrix`.
template <class T>
struct DiaStorage {
  /// Diagonals whose offsets come with the launch; those of more lie in `offsets`.
  static constexpr int near_offsets = 96;

  const T* values = nullptr;
  std::int64_t stride = 0;
  std::int32_t diagonals = 0;
  std::int32_t rows = 0;
  std::int32_t least = 0;    ///< the matrix's first column, counted from the segment's first row
  std::int32_t columns = 0;  ///< of the matrix
  /// Rows that have a column on every diagonal: [first_inner, end_inner).
  std::int32_t first_inner = 0;
  std::int32_t end_inner = 0;
  const std::int32_t* offsets = nullptr;
  std::int32_t near[near_offsets];

  __device__ std::int32_t offset(int diagonal) const {
    return diagonal < near_offsets ? near[diagonal] : __ldg(offsets + diagonal);
  }
};

/// So many neighbouring values, loaded at once.
template <class T, int width>
struct alignas(sizeof(T) * width) DiaPack {
  T values[width];
};

/// `passes`: values are read once and are not to stay in the caches.
template <bool passes, class T, int width>
__device__ DiaPack<T, width> load_pack(const T* from) {
  if constexpr (width * sizeof(T) == 16) {
    const auto* whole = reinterpret_cast<const int4*>(from);
    const int4 loaded = passes ? __ldcs(whole) : __ldg(whole);
    return *reinterpret_cast<const DiaPack<T, width>*>(&loaded);
  } else {
    static_assert(width == 1);
    return {{passes ? __ldcs(from) : __ldg(from)}};
  }
}

/// The values of a thread's rows in the next diagonals, as many as there are `left`.
template <bool passes, class T, int width, int at_once>
__device__ void load_diagonals(DiaPack<T, width> (&packs)[at_once], const T* from,
                               std::int64_t stride, int left) {
#pragma unroll
  for (int u = 0; u < at_once; ++u) {
    if (u < left) packs[u] = load_pack<passes, T, width>(from + u * stride);
  }
}

/// sums += values * input of these diagonals, the first of which is `first`. `inner`: the rows have
/// a column on each.
template <bool inner, class T, int width, int at_once>
__device__ void add_diagonals(const DiaStorage<T>& a, const DiaPack<T, width> (&packs)[at_once],
                              int first, std::int32_t row, const T* input, T (&sums)[width]) {
  const T* from = input + row;
  T gathered[at_once][width];
#pragma unroll
  for (int u = 0; u < at_once; ++u) {
    if (first + u >= a.diagonals) break;
    const std::int32_t offset = a.offset(first + u);
#pragma unroll
    for (int v = 0; v < width; ++v) {
      const bool inside = inner || static_cast<unsigned>(row + v + offset - a.least) <
                                       static_cast<unsigned>(a.columns);
      gathered[u][v] = inside ? from[offset + v] : T{0};
    }
  }
#pragma unroll
  for (int u = 0; u < at_once; ++u) {
    if (first + u >= a.diagonals) break;
#pragma unroll
    for (int v = 0; v < width; ++v) sums[v] += packs[u].values[v] * gathered[u][v];
  }
}

/// All diagonals of a thread's rows, of which the first are loaded already.
template <class Shape, class Index, bool inner, bool passes, class T>
__device__ void add_all(const DiaStorage<T>& a,
                        DiaPack<T, Shape::template width<T>> (&packs)[Shape::at_once],
                        std::int32_t row, const T* input, T (&sums)[Shape::template width<T>]) {
  constexpr int at_once = Shape::at_once;
  auto place = static_cast<Index>(row);
  const auto stride = static_cast<Index>(a.stride);
  for (int first = 0;;) {
    add_diagonals<inner>(a, packs, first, row, input, sums);
    first += at_once;
    if (first >= a.diagonals) break;
    place += at_once * stride;
    load_diagonals<passes>(packs, a.values + place, a.stride, a.diagonals - first);
  }
}

/// `Shape`: a `DiaShape`. `Index`: of values; with one of 32 bits there are registers for more
/// thread blocks. A thread block takes a group of rows, the last first: the kernel before it wrote
/// the vector's end last, and the one behind it begins with what is written last here.
template <class T, class Shape, class Index, bool passes, bool finishes>
__global__ void __launch_bounds__(dia_threads, resident_blocks_of(dia_threads, Shape::least_blocks))
    multiply_dia(Gate gate, const __grid_constant__ DiaStorage<T> a, const T* input, T* output,
                 const __grid_constant__ HaloWait halo,
                 const __grid_constant__ BlockFinish finish) {
  constexpr int width = Shape::template width<T>;
  using Pack = DiaPack<T, width>;
  // There are fewer than 2^31 rows, and no more blocks than one more than fills them.
  const unsigned row = ((gridDim.x - 1 - blockIdx.x) * dia_threads + threadIdx.x) * width;
  const bool has_rows = row < static_cast<unsigned>(a.rows);
  // No kernel writes the matrix. Behind the last row there is padding.
  Pack packs[Shape::at_once];
  if (has_rows) load_diagonals<passes>(packs, a.values + row, a.stride, a.diagonals);
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if (halo.outside != nullptr) {
    // A word for every 32 rows; a warp has as many words as a thread has rows.
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned word = (row - lane * width) / warp_size + lane;
    const bool has_word = lane < width && word * warp_size < static_cast<unsigned>(a.rows);
    await_input(halo, has_word && __ldg(halo.outside + word) != 0);
  }
  double product = 0;
  if (has_rows) {
    const auto first = static_cast<std::int32_t>(row);
    T sums[width] = {};
    if (width > 1 && first >= a.first_inner && first + width <= a.end_inner) {
      add_all<Shape, Index, true, passes>(a, packs, first, input, sums);
    } else {
      add_all<Shape, Index, false, passes>(a, packs, first, input, sums);
    }
    if (width > 1 && first + width <= a.rows) {
      Pack result;
#pragma unroll
      for (int v = 0; v < width; ++v) result.values[v] = sums[v];
      *reinterpret_cast<Pack*>(output + first) = result;
    } else {
#pragma unroll
      for (int v = 0; v < width; ++v) {
        if (first + v < a.rows) output[first + v] = sums[v];
      }
    }
    if constexpr (finishes) {
#pragma unroll
      for (int v = 0; v < width; ++v) {
        if (first + v < a.rows) {
          product += static_cast<double>(sums[v]) * static_cast<double>(input[first + v]);
        }
      }
    }
  }
  if constexpr (finishes) finish_in_order<dia_threads>(finish, product);
}

}  // namespace sparsecast::cuda
