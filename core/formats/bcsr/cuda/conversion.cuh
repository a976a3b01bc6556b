#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_csr.cuh"
#include "core/cuda/formats/row_order.cuh"
#include "core/workload/layout.hpp"

/// @file
/// The conversion from CSR to a layout by the GPU: the same blocks in the same order as
/// `convert_to_bcsr` makes on the host, which is the reference.

namespace sparsecast::cuda {

/// What storage and launches depend on. The GPU writes it.
struct RowFacts {
  std::int64_t blocks = 0;
  std::int64_t longest_row = 0;  ///< blocks
  /// Not 0: a difference from `narrow_base` in natural order does not fit in 16 bits.
  std::int64_t far_columns = 0;
};

/// Where stored block rows begin.
struct BlockRows {
  std::int64_t count = 0;
  DeviceArray<std::int64_t> offsets;    ///< count + 1, and room for the GPU's facts
  DeviceArray<std::int32_t> row_index;  ///< empty: natural order
  RowFacts facts;
};

/// Counts the blocks of every block row and puts block rows in the layout's order. Waits for the
/// GPU once.
template <class T>
BlockRows find_block_rows(const DeviceCsr<T>& matrix, const Layout& layout);

/// Where a conversion writes. One of the two kinds of offsets is there, and of columns; in
/// `keep_rows` only `columns16`, or no columns; `columns` there are the matrix's own, to be
/// changed.
struct StoredPattern {
  std::uint32_t* offsets32 = nullptr;  ///< one a block row, and the end
  std::uint64_t* offsets64 = nullptr;
  std::int32_t* columns = nullptr;
  std::int16_t* columns16 = nullptr;  ///< column minus `narrow_base`
  std::int64_t columns_size = 0;      ///< those behind the last block become 0
};

/// Values in the interleaved storage of so many blocks, the last group filled up.
std::int64_t interleaved_values(std::int64_t blocks, int block_size);

/// Fills the blocks: their pattern, and `values` (`interleaved_values`, all 0 before). For N = 1:
/// copies rows in their stored order.
template <class T>
void fill_blocks(const DeviceCsr<T>& matrix, const BlockRows& block_rows, int block_size,
                 const StoredPattern& to, T* values);

/// The rows of a matrix that stays CSR in natural order: writes offsets and, if `columns16` is
/// there, columns, which mean nothing if some are far. Waits for the GPU once.
template <class T>
RowFacts keep_rows(const DeviceCsr<T>& matrix, const StoredPattern& to);

/// A stored block row with many blocks.
struct LongRow {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t row = 0;  ///< of 64 bits, so that a copy from the GPU reads no padding
};

/// The block rows of more than `longest_short_row` blocks, in their stored order. Waits for the
/// GPU.
std::vector<LongRow> find_long_rows(const DeviceArray<std::int64_t>& offsets, std::int64_t rows,
                                    std::int64_t blocks, std::int64_t longest_short_row);

}  // namespace sparsecast::cuda
