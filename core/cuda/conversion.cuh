#pragma once

#include <cstdint>
#include <vector>

#include "core/csr.hpp"
#include "core/cuda/block_order.cuh"
#include "core/cuda/device_array.cuh"
#include "core/layout.hpp"

/// @file
/// The conversion from CSR to a layout by the GPU: the same blocks in the same order as
/// `convert_to_bcsr` makes on the host, which is the reference.

namespace sparsecast::cuda {

/// CSR in device memory.
template <class T>
struct DeviceCsr {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  DeviceArray<std::int64_t> row_offsets;
  DeviceArray<std::int32_t> column_indices;
  DeviceArray<T> values;

  DeviceCsr() = default;
  /// Copies from the host; columns and values are followed by zeros up to a multiple of
  /// `padding`.
  DeviceCsr(const CsrView<T>& matrix, std::int64_t padding);
};

/// Where stored block rows begin.
struct BlockRows {
  std::int64_t count = 0;
  std::int64_t blocks = 0;
  DeviceArray<std::int64_t> offsets;    ///< count + 1
  DeviceArray<std::int32_t> row_index;  ///< empty: natural order
  Spent spent;                          ///< what finding them took
};

/// Counts the blocks of every block row and puts block rows in the layout's order.
template <class T>
BlockRows find_block_rows(const DeviceCsr<T>& matrix, const Layout& layout);

/// Values in the interleaved storage of so many blocks, the last group filled up.
std::int64_t interleaved_values(std::int64_t blocks, int block_size);

/// Fills the blocks: `columns` (one a block) and `values` (`interleaved_values`, all 0 before). For
/// N = 1: copies rows in their stored order.
template <class T>
void fill_blocks(const DeviceCsr<T>& matrix, const BlockRows& block_rows, int block_size,
                 std::int32_t* columns, T* values);

/// What storage and launches depend on.
struct RowFacts {
  int long_rows = 0;    ///< block rows of more than `longest_short_row` blocks
  int far_columns = 0;  ///< not 0: a difference from `narrow_base` does not fit in 16 bits
};

/// Columns rise within rows, which are in natural order or their `far_columns` means nothing.
RowFacts inspect_rows(const BlockRows& block_rows, const std::int32_t* columns,
                      std::int64_t longest_short_row);

/// differences[k] = column minus `narrow_base` of its row.
void subtract_rows(const BlockRows& block_rows, const std::int32_t* columns,
                   std::int16_t* differences);

/// Copies offsets to 32 or 64 bits.
template <class Offset>
void copy_offsets(const DeviceArray<std::int64_t>& from, Offset* to);

/// A stored block row with many blocks.
struct LongRow {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t row = 0;  ///< of 64 bits, so that a copy from the GPU reads no padding
};

/// The `count` block rows of more than `longest_short_row` blocks, in their stored order.
std::vector<LongRow> find_long_rows(const BlockRows& block_rows, std::int64_t longest_short_row,
                                    int count);

}  // namespace sparsecast::cuda
