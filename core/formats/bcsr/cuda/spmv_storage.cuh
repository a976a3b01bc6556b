#pragma once

#include <cstdint>

#include "core/cuda/device/pack_loads.cuh"
#include "core/formats/bcsr/cuda/spmv.cuh"

/// @file
/// How lanes read stored rows: a column index has 32 bits, or 16 (`narrow_base`). What `stays` is
/// kept in the first-level cache, because other loads need the rest of it; otherwise the cache is
/// for the input.

namespace sparsecast::cuda {
namespace {

/// The column index that a stored one of 16 bits counts from, for all rows of a warp's chunk.
template <class Column>
__device__ std::int32_t column_of(Column stored, std::int32_t row) {
  return sizeof(Column) == 2 ? narrow_base(row) + stored : stored;
}

template <bool stays, class U>
__device__ U load(const U* address) {
  return stays ? load_constant(address) : load_stream(address);
}

/// CSR: a lane takes four neighbouring elements from an aligned position at a time.
template <class T, class Offset, class Column>
struct CsrStorage {
  using Value = T;
  using OffsetType = Offset;
  static constexpr int block_size = 1;
  static constexpr int lanes_per_block = 1;
  static constexpr int row_sums = 1;
  static constexpr int step = csr_step;

  const Offset* offsets;
  const Column* columns;
  const T* values;

  /// Four elements.
  struct Part {
    static constexpr int packs = step / Pack<T>::size;
    Unit<Column, step> columns = {};
    Pack<T> values[packs] = {};
  };

  /// Loads the part with this index if it is in front of element `end`, to stay in the first-level
  /// cache: the next load takes the other half of the same sector, or a row begins within it.
  __device__ void load_part(Part& part, Offset index, Offset end) const {
    if (index * step >= end) return;
    part.columns = load_constant(reinterpret_cast<const Unit<Column, step>*>(columns) + index);
#pragma unroll
    for (int p = 0; p < Part::packs; ++p) {
      part.values[p] =
          load_constant(reinterpret_cast<const Pack<T>*>(values) + index * Part::packs + p);
    }
  }

  /// Adds the products of those elements of the part that are in [begin, end).
  __device__ void add(T& sum, const Part& part, Offset index, Offset begin, Offset end,
                      std::int32_t row, const T* input) const {
    T inputs[step];
    bool ours[step];
#pragma unroll
    for (int k = 0; k < step; ++k) {
      const Offset element = index * step + k;
      ours[k] = element >= begin && element < end;
      // Others may have stored it since this kernel began: no read-only load.
      inputs[k] = ours[k] ? input[column_of(part.columns.values[k], row)] : T{0};
    }
#pragma unroll
    for (int k = 0; k < step; ++k) {
      const T value = part.values[k / Pack<T>::size].values[k % Pack<T>::size];
      sum += (ours[k] ? value : T{0}) * inputs[k];
    }
  }

  /// Adds this lane's share of elements [begin, end) of a (natural) row.
  template <int lanes>
  __device__ void accumulate(T (&sums)[1], Offset begin, Offset end, int lane, std::int32_t row,
                             const T* input) const {
    constexpr int at_once = 2;  // parts that are loaded before the first is used
#pragma unroll 1
    for (Offset first = begin / step + lane; first * step < end; first += at_once * lanes) {
      Part parts[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) load_part(parts[u], first + u * lanes, end);
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        add(sums[0], parts[u], first + u * lanes, begin, end, row, input);
      }
    }
  }
};

/// BCSR: a lane takes an item at a time.
template <class T, int N, class Offset, class Column>
struct BcsrStorage {
  using Value = T;
  using OffsetType = Offset;
  using Item = ItemShape<T, N>;
  static constexpr int block_size = N;
  static constexpr int lanes_per_block = Item::per_block;
  static constexpr int row_sums = Item::rows;

  const Offset* offsets;
  const Column* columns;
  const T* values;

  struct Part {
    static constexpr int input_unit = unit_size(N, sizeof(T));
    std::int32_t column = 0;
    Unit<T, Item::unit> values[Item::units] = {};
    Unit<T, input_unit> input[N / input_unit] = {};
  };

  /// Loads values and block column of an item.
  template <bool stays>
  __device__ void load_part(Part& part, Offset item, std::int32_t row) const {
    const Column* column = columns + item / lanes_per_block;
    part.column = column_of(stays ? __ldg(column) : load_stream(column), row);
    const auto* units = reinterpret_cast<const Unit<T, Item::unit>*>(values) +
                        item / Item::group * (Item::group * Item::units) + item % Item::group;
#pragma unroll
    for (int k = 0; k < Item::units; ++k) part.values[k] = load<stays>(units + k * Item::group);
  }

  __device__ void load_input(Part& part, const T* input) const {
    const auto* units = reinterpret_cast<const Unit<T, Part::input_unit>*>(
        input + static_cast<std::int64_t>(part.column) * N);
#pragma unroll
    for (int k = 0; k < N / Part::input_unit; ++k) {
      part.input[k] = units[k];  // as in CSR, no read-only load
    }
  }

  __device__ static void add(T (&sums)[row_sums], const Part& part) {
#pragma unroll
    for (int i = 0; i < Item::rows; ++i) {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const int value = i * N + j;
        sums[i] += part.values[value / Item::unit].values[value % Item::unit] *
                   part.input[j / Part::input_unit].values[j % Part::input_unit];
      }
    }
  }

  /// Adds this lane's share of blocks [begin, end) of a (natural) block row.
  template <int lanes>
  __device__ void accumulate(T (&sums)[row_sums], Offset begin, Offset end, int lane,
                             std::int32_t row, const T* input) const {
    /// Items that are loaded before the first is used.
    constexpr int at_once = Item::values * static_cast<int>(sizeof(T)) <= 36 ? 2 : 1;
    constexpr int stride = lanes / lanes_per_block;
    const int share = lane % lanes_per_block;
#pragma unroll 1
    for (Offset first = begin + lane / lanes_per_block; first < end; first += at_once * stride) {
      Part parts[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const Offset block = first + u * stride;
        if (block >= end) continue;
        load_part<true>(parts[u], block * lanes_per_block + share, row);
        load_input(parts[u], input);
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) add(sums, parts[u]);
    }
  }
};

}  // namespace
}  // namespace sparsecast::cuda
