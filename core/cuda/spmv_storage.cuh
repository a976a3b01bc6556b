#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cuda/spmv.cuh"

/// @file
/// How lanes read stored rows. A column index has 32 bits, or 16: then it counts from the row.

namespace sparsecast::cuda {
namespace {

template <class Column>
__device__ std::int32_t column_of(Column stored, std::int32_t row) {
  return sizeof(Column) == 2 ? row + stored : stored;
}

/// CSR: a lane takes four neighbouring elements from an aligned position at a time.
template <class T, class Offset, class Column>
struct CsrStorage {
  using Value = T;
  using OffsetType = Offset;
  using ColumnType = Column;
  static constexpr int block_size = 1;
  static constexpr int lanes_per_block = 1;
  static constexpr int row_sums = 1;
  static constexpr int step = csr_step;
  static constexpr int at_once = 2;  ///< groups of four that are loaded before the first is used

  const Offset* offsets;
  const Column* columns;
  const T* values;

  /// Adds this lane's share of elements [begin, end) of a (natural) row.
  template <int lanes>
  __device__ void accumulate(T (&sums)[1], Offset begin, Offset end, int lane, std::int32_t row,
                             const T* input) const {
    constexpr int parts = step / Pack<T>::size;
#pragma unroll 1
    for (Offset first = begin / step + lane; first * step < end; first += at_once * lanes) {
      Unit<Column, step> columns_here[at_once] = {};
      Pack<T> values_here[at_once][parts] = {};
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const Offset group = first + u * lanes;
        if (group * step >= end) continue;
        columns_here[u] =
            load_constant(reinterpret_cast<const Unit<Column, step>*>(columns) + group);
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
          inputs[u][k] = ours ? __ldg(input + column_of(columns_here[u].values[k], row)) : T{0};
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
template <class T, int N, class Offset, class Column>
struct BcsrStorage {
  using Value = T;
  using OffsetType = Offset;
  using ColumnType = Column;
  using Item = ItemShape<T, N>;
  static constexpr int block_size = N;
  static constexpr int lanes_per_block = Item::per_block;
  static constexpr int row_sums = Item::rows;
  /// Items that are loaded before the first is used: two small ones (on an H200, two of N = 3 in
  /// f64 took 6 % longer than one).
  static constexpr int at_once = Item::values * static_cast<int>(sizeof(T)) <= 36 ? 2 : 1;

  const Offset* offsets;
  const Column* columns;
  const T* values;

  template <int lanes>
  __device__ void accumulate(T (&sums)[row_sums], Offset begin, Offset end, int lane,
                             std::int32_t row, const T* input) const {
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
            input + static_cast<std::int64_t>(column_of(__ldg(columns + block), row)) * N);
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

}  // namespace
}  // namespace sparsecast::cuda
