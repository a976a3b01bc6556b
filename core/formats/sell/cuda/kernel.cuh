#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/sell/geometry.hpp"
#include "core/formats/sell/sell.hpp"

/// @file
/// The kernel of SELL: a warp takes a slice, group by group, so that each of its loads of values
/// and columns is of neighbours; it loads the values of a few groups before it uses the first, and
/// those of the first ones before the kernel in front has ended.

namespace sparsecast::cuda {

/// A segment in device memory, as `SellMatrix`.
template <class T>
struct SellStorage {
  const T* values = nullptr;
  const std::uint8_t* columns = nullptr;
  const std::int32_t* bases = nullptr;
  const std::uint32_t* group_begins = nullptr;
  const std::uint32_t* column_begins = nullptr;
  const std::int32_t* row_index = nullptr;  ///< null: natural order
  std::int32_t rows = 0;
  std::uint32_t slices = 0;
};

/// What a warp has to do.
struct SliceOfWarp {
  std::uint32_t first_group = 0;
  std::uint32_t groups = 0;
  std::uint32_t first_unit = 0;
  std::uint32_t column_bytes = 0;
};

template <class T>
__device__ SliceOfWarp slice_of_warp(const SellStorage<T>& a, std::uint32_t slice) {
  SliceOfWarp mine;
  if (slice >= a.slices) return mine;
  mine.first_group = __ldg(a.group_begins + slice);
  mine.groups = __ldg(a.group_begins + slice + 1) - mine.first_group;
  mine.first_unit = __ldg(a.column_begins + slice);
  const std::uint32_t units = __ldg(a.column_begins + slice + 1) - mine.first_unit;
  // Columns take 0, 1, 2 or 4 bytes.
  mine.column_bytes = units == 0 ? 0 : units == mine.groups ? 1 : units == 2 * mine.groups ? 2 : 4;
  return mine;
}

/// How lanes work on slices of so many rows.
template <class T, int slice_height>
struct SellShape {
  static constexpr int height = slice_height;
  static constexpr int group = sell_group(height);  ///< entries
  static constexpr int rows = sell_rows_of_lane(height);
  static constexpr int at_once = sell_values_at_once<T> / rows;  ///< groups under way
};

/// What a lane has of the groups under way: a value for each of its rows.
template <class Shape, class T>
using SellValues = T[Shape::at_once][Shape::rows];

/// The values of the next groups, as many as there are `left` unless they are `whole`. `passes`:
/// they are read once and are not to stay in the caches.
template <class Shape, bool whole, bool passes, class T>
__device__ void load_values(SellValues<Shape, T>& values, const T* next, std::uint32_t left) {
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (!whole && u >= left) continue;
#pragma unroll
    for (int v = 0; v < Shape::rows; ++v) {
      const T* address = next + u * Shape::group + v * warp_size;
      values[u][v] = passes ? __ldcs(address) : __ldg(address);
    }
  }
}

/// sums += values * input of these groups.
template <class Shape, bool whole, bool passes, class Column, class T>
__device__ void add_groups(const SellValues<Shape, T>& values, const std::int32_t* base,
                           const Column* column, std::uint32_t left, int lane, const T* input,
                           T (&sums)[Shape::rows]) {
  SellValues<Shape, std::int32_t> places;
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (!whole && u >= left) continue;
    const std::int32_t from = __ldg(base + u);
#pragma unroll
    for (int v = 0; v < Shape::rows; ++v) {
      if constexpr (std::is_void_v<Column>) {
        places[u][v] = from + lane + v * warp_size;
      } else {
        const Column* address = column + u * Shape::group + v * warp_size;
        places[u][v] = from + static_cast<std::int32_t>(passes ? __ldcs(address) : __ldg(address));
      }
    }
  }
  SellValues<Shape, T> gathered;
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (!whole && u >= left) continue;
#pragma unroll
    for (int v = 0; v < Shape::rows; ++v) {
      // Others may have stored it since this kernel began: no read-only load.
      gathered[u][v] = input[places[u][v]];
    }
  }
#pragma unroll
  for (int u = 0; u < Shape::at_once; ++u) {
    if (!whole && u >= left) continue;
#pragma unroll
    for (int v = 0; v < Shape::rows; ++v) sums[v] += values[u][v] * gathered[u][v];
  }
}

/// A lane's sums over a slice, of which the first values are loaded already. `Column`: how columns
/// are stored; void: on diagonals.
template <class Shape, class Column, bool passes, class T>
__device__ void add_slice(const SellStorage<T>& a, const SliceOfWarp& mine,
                          SellValues<Shape, T>& values, int lane, const T* input,
                          T (&sums)[Shape::rows]) {
  constexpr int at_once = Shape::at_once;
  const T* value = a.values + std::int64_t{mine.first_group} * Shape::group + lane;
  const std::int32_t* base = a.bases + mine.first_group;
  const Column* column = nullptr;
  if constexpr (!std::is_void_v<Column>) {
    column =
        reinterpret_cast<const Column*>(a.columns + std::int64_t{mine.first_unit} * Shape::group) +
        lane;
  }
  std::uint32_t left = mine.groups;
  while (left > at_once) {
    add_groups<Shape, true, passes>(values, base, column, left, lane, input, sums);
    left -= at_once;
    value += at_once * Shape::group;
    base += at_once;
    if constexpr (!std::is_void_v<Column>) column += at_once * Shape::group;
    load_values<Shape, false, passes>(values, value, left);
  }
  add_groups<Shape, false, passes>(values, base, column, left, lane, input, sums);
}

/// A thread block takes a few slices, the last first: the kernel before it wrote the vector's end
/// last, and the one behind it begins with what is written last here.
template <class T, int height, bool passes, bool finishes>
__global__ void __launch_bounds__(sell_threads,
                                  resident_blocks_of(sell_threads, sell_resident_blocks<T>))
    multiply_sell(Gate gate, const __grid_constant__ SellStorage<T> a, const T* input, T* output,
                  const __grid_constant__ HaloWait halo,
                  const __grid_constant__ BlockFinish finish) {
  using Shape = SellShape<T, height>;
  constexpr unsigned warps = sell_threads / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::uint32_t slice = (gridDim.x - 1 - blockIdx.x) * warps + threadIdx.x / warp_size;
  // No kernel writes the matrix.
  const SliceOfWarp mine = slice_of_warp(a, slice);
  SellValues<Shape, T> values;
  load_values<Shape, false, passes>(
      values, a.values + std::int64_t{mine.first_group} * Shape::group + lane, mine.groups);
  // There are fewer than 2^31 rows, and less than a block of slices more than hold them.
  const auto stored_row = [&](int v) { return slice * height + (lane + v * warp_size) % height; };
  const auto has_row = [&](int v) { return stored_row(v) < static_cast<std::uint32_t>(a.rows); };
  const auto row_of = [&](int v) {
    const std::uint32_t stored = stored_row(v);
    return a.row_index != nullptr ? __ldg(a.row_index + stored) : static_cast<std::int32_t>(stored);
  };
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if (halo.outside != nullptr) {
    bool outside = false;
#pragma unroll
    for (int v = 0; v < Shape::rows; ++v) outside |= has_row(v) && concerns(halo, row_of(v));
    await_input(halo, outside);
  }
  T sums[Shape::rows] = {};
  if (mine.groups > 0) {
    switch (mine.column_bytes) {
      case 0:
        add_slice<Shape, void, passes>(a, mine, values, lane, input, sums);
        break;
      case 1:
        add_slice<Shape, std::uint8_t, passes>(a, mine, values, lane, input, sums);
        break;
      case 2:
        add_slice<Shape, std::uint16_t, passes>(a, mine, values, lane, input, sums);
        break;
      default:
        add_slice<Shape, std::uint32_t, passes>(a, mine, values, lane, input, sums);
    }
  }
#pragma unroll
  for (int offset = height; offset < warp_size; offset *= 2) {
    sums[0] += __shfl_xor_sync(whole_warp, sums[0], offset);
  }
  double product = 0;
#pragma unroll
  for (int v = 0; v < Shape::rows; ++v) {
    if (!has_row(v) || lane >= height) continue;
    const std::int32_t row = row_of(v);
    output[row] = sums[v];
    if constexpr (finishes) {
      product += static_cast<double>(sums[v]) * static_cast<double>(input[row]);
    }
  }
  if constexpr (finishes) finish_in_order<sell_threads>(finish, product);
}

}  // namespace sparsecast::cuda
