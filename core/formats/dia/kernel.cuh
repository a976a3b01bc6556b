#pragma once

#include <cstdint>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/input_load.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/dia/geometry.hpp"

/// @file
/// The kernel of DIA: a warp takes neighbouring rows, a thread some of them, `warp_size` apart, so
/// that each load of a warp, of values and of the vector, is of neighbours; it loads the values of
/// a few diagonals before it uses the first. All diagonals are known without a look at the matrix,
/// so that the first of them are on their way before the kernel in front has ended.

namespace sparsecast::cuda {

/// A segment in device memory, as `DiaMatrix`.
template <class T>
struct DiaStorage {
  /// Diagonals whose offsets come with the launch; those of more lie in `offsets`.
  static constexpr int near_offsets = 96;

  /// Behind the last diagonal there is room for what a warp loads beyond its last row.
  static constexpr std::int64_t room_behind = warp_size * (16 / sizeof(T));
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

template <class Shape, class T>
constexpr int rows_of_thread = Shape::template width<T>;

/// What a thread has of the diagonals under way: a value for each of its rows.
template <class Shape, class T>
using DiaValues = T[Shape::at_once][rows_of_thread<Shape, T>];

/// The values of a thread's rows in a diagonal, of which `first` is where that of its first row is.
/// Of rows that there are not, any values. `passes`: they are read once and are not to stay in the
/// caches.
template <bool passes, class T, int rows>
__device__ void load_rows(T (&values)[rows], const T* first) {
#pragma unroll
  for (int v = 0; v < rows; ++v) {
    values[v] = passes ? __ldcs(first + v * warp_size) : __ldg(first + v * warp_size);
  }
}

/// The same of the next diagonals, as many as there are `left`.
template <class Shape, bool passes, class T>
__device__ void load_diagonals(DiaValues<Shape, T>& values, const T* first, std::int64_t stride,
                               int left) {
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (u < left) load_rows<passes>(values[u], first + u * stride);
  }
}

/// sums += values * input of these diagonals, the first of which is `first`. `inner`: the rows have
/// a column on each. `past_l1`: as `load_input`.
template <class Shape, bool inner, bool past_l1, class T>
__device__ void add_diagonals(const DiaStorage<T>& a, const DiaValues<Shape, T>& values, int first,
                              std::int32_t row, const T* input,
                              T (&sums)[rows_of_thread<Shape, T>]) {
  const T* from = input + row;
  DiaValues<Shape, T> gathered;
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (first + u >= a.diagonals) break;
    const std::int32_t offset = a.offset(first + u);
#pragma unroll
    for (int v = 0; v < rows_of_thread<Shape, T>; ++v) {
      const std::int32_t place = offset + v * warp_size;
      const bool inside =
          inner || static_cast<unsigned>(row + place - a.least) < static_cast<unsigned>(a.columns);
      gathered[u][v] = inside ? load_input<past_l1>(from + place) : T{0};
    }
  }
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (first + u >= a.diagonals) break;
#pragma unroll
    for (int v = 0; v < rows_of_thread<Shape, T>; ++v) sums[v] += values[u][v] * gathered[u][v];
  }
}

/// All diagonals of a thread's rows, of which the first are loaded already.
template <class Shape, class Index, bool inner, bool passes, bool past_l1, class T>
__device__ void add_all(const DiaStorage<T>& a, DiaValues<Shape, T>& values, std::int32_t row,
                        const T* input, T (&sums)[rows_of_thread<Shape, T>]) {
  constexpr int at_once = Shape::at_once;
  auto place = static_cast<Index>(row);
  const auto stride = static_cast<Index>(a.stride);
  for (int first = 0;;) {
    add_diagonals<Shape, inner, past_l1>(a, values, first, row, input, sums);
    first += at_once;
    if (first >= a.diagonals) break;
    place += at_once * stride;
    load_diagonals<Shape, passes>(values, a.values + place, a.stride, a.diagonals - first);
  }
}

/// `Shape`: a `DiaShape`. `Index`: of values; with one of 32 bits there are registers for more
/// thread blocks. A thread block takes a group of rows, the last first: the kernel before it wrote
/// the vector's end last, and the one behind it begins with what is written last here.
template <class T, class Shape, class Index, bool passes, bool finishes, bool past_l1>
__global__ void __launch_bounds__(dia_threads, resident_blocks_of(dia_threads, Shape::least_blocks))
    multiply_dia(Gate gate, const __grid_constant__ DiaStorage<T> a, const T* input, T* output,
                 const __grid_constant__ HaloWait halo,
                 const __grid_constant__ BlockFinish finish) {
  constexpr int width = rows_of_thread<Shape, T>;
  // There are fewer than 2^31 rows, and no more blocks than one more than fills them.
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned first_of_warp =
      ((gridDim.x - 1 - blockIdx.x) * dia_threads + threadIdx.x - lane) * width;
  const auto row = static_cast<std::int32_t>(first_of_warp + lane);
  const bool has_rows = first_of_warp + lane < static_cast<unsigned>(a.rows);
  // No kernel writes the matrix.
  DiaValues<Shape, T> values;
  if (has_rows) load_diagonals<Shape, passes>(values, a.values + row, a.stride, a.diagonals);
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if (halo.outside != nullptr) {
    // A word for every 32 rows; a warp has as many words as a thread has rows.
    const unsigned word = first_of_warp / warp_size + lane;
    const bool has_word = lane < width && word * warp_size < static_cast<unsigned>(a.rows);
    await_input(halo, has_word && __ldg(halo.outside + word) != 0);
  }
  double product = 0;
  if (has_rows) {
    T sums[width] = {};
    if (width > 1 && row >= a.first_inner && (width - 1) * warp_size < a.end_inner - row) {
      add_all<Shape, Index, true, passes, past_l1>(a, values, row, input, sums);
    } else {
      add_all<Shape, Index, false, passes, past_l1>(a, values, row, input, sums);
    }
#pragma unroll
    for (int v = 0; v < width; ++v) {
      if (v * warp_size >= a.rows - row) break;
      const std::int32_t i = row + v * warp_size;
      output[i] = sums[v];
      if constexpr (finishes) {
        product += static_cast<double>(sums[v]) * static_cast<double>(input[i]);
      }
    }
  }
  if constexpr (finishes) finish_in_order<dia_threads>(finish, product);
}

}  // namespace sparsecast::cuda
