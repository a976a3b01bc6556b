#pragma once

#include <cstdint>

#include "core/analysis/cuda_execution.hpp"
#include "core/base/host_device.hpp"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/several/halo_wait.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/formats/bcsr/spmv_geometry.hpp"
#include "core/workload/layout.hpp"

/// @file
/// What storage and kernels of SpMV have to agree on.

namespace sparsecast::cuda {

/// How the blocks of one size are cut into items.
template <class T, int N>
struct ItemShape {
  static constexpr int per_block = items_per_block(N);
  static constexpr int rows = N / per_block;
  static constexpr int values = rows * N;
  static constexpr int unit = unit_size(values, sizeof(T));
  static constexpr int units = values / unit;
  static constexpr int group = warp_size;  ///< items that are interleaved
};

/// Where value (i, j) of a block is stored. `DeviceBcsr` says how.
template <class T, int N>
SPARSECAST_HOST_DEVICE std::int64_t place_of_value(std::int64_t block, int i, int j) {
  using Item = ItemShape<T, N>;
  const int value = i * N + j;
  const std::int64_t item = block * Item::per_block + value / Item::values;
  const int in_item = value % Item::values;
  return item / Item::group * (Item::group * Item::values) +
         (in_item / Item::unit * Item::group + item % Item::group) * Item::unit +
         in_item % Item::unit;
}

/// Columns in 16 bits count from here (`column_base`).
SPARSECAST_HOST_DEVICE constexpr std::int32_t narrow_base(std::int32_t row) {
  return row & ~(warp_size - 1);
}

/// How short rows are spread over thread blocks.
struct Spread {
  std::int64_t groups = 0;   ///< of rows that a thread block takes at a time
  std::int64_t blocks = 0;   ///< thread blocks
  std::int64_t abreast = 0;  ///< of them share a span: neighbours take neighbouring groups
  std::int64_t span = 0;     ///< groups; the next ones are for the thread blocks behind those
  int together = 1;          ///< streams: rows of a warp
};

/// A part of a long row that one warp multiplies.
struct LongPiece {
  std::int64_t begin = 0;  ///< stored blocks begin .. begin + length - 1
  std::int32_t length = 0;
  std::int32_t row = 0;     ///< stored block row
  std::int32_t first = 0;   ///< the row's first piece
  std::int32_t pieces = 0;  ///< of the row
};

/// The rows that a multiplication writes.
struct RowMap {
  std::int64_t rows = 0;
  std::int64_t block_rows = 0;
  const std::int32_t* row_index = nullptr;  ///< null: natural order

  SPARSECAST_HOST_DEVICE std::int32_t natural(std::int64_t stored_row) const {
    return row_index != nullptr ? row_index[stored_row] : static_cast<std::int32_t>(stored_row);
  }
};

template <class T>
struct LongRows {
  std::int64_t longest_short_row = 0;
  const LongPiece* pieces = nullptr;
  int count = 0;      ///< of pieces
  int blocks = 0;     ///< thread blocks at the front of the grid that work on them
  T* sums = nullptr;  ///< N a piece
  std::int32_t* done =
      nullptr;  ///< pieces of a row that are done, at its first; 0 between launches
};

/// A multiplication in device memory. One of the two kinds of offsets is there, and of columns.
template <class T>
struct Multiplication {
  int block_size = 1;
  SpmvExecution execution;
  const std::uint32_t* offsets32 = nullptr;
  const std::uint64_t* offsets64 = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int16_t* columns16 = nullptr;  ///< column minus `narrow_base`
  const T* values = nullptr;
  RowMap map;
  LongRows<T> long_rows;
  const T* input = nullptr;  ///< followed by `input_padding` zeros
  T* output = nullptr;
  HaloWait halo;
  /// Sums input . output over the rows if it is active; `parts` is set by the launch. Each block
  /// then takes several groups of rows, at most `most_groups`, so that there are no more than
  /// `most_blocks` for short rows, or for each span of these.
  BlockFinish finish;
  std::int64_t most_blocks = 0;
  std::int64_t most_groups = 0;
};

template <class T>
Launch spmv_launch(const Multiplication<T>& multiplication, const Gate& gate);

/// The same for one block size each, which are compiled apart.
template <int N, class T>
Launch spmv_launch_of_size(const Multiplication<T>& multiplication, const Gate& gate);

}  // namespace sparsecast::cuda
