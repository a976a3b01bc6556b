#pragma once

#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/row_offsets.hpp"

/// @file
/// Where the N x N blocks of a whole matrix are, rows in natural order, whatever their values,
/// which may be many times the matrix.

namespace sparsecast {

/// In arrays of somebody else's, named as in `BcsrMatrix`.
struct BlockPatternView {
  int block_size = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  RowOffsets block_offsets;
  std::span<const std::int32_t> block_columns;

  std::int64_t block_rows() const { return static_cast<std::int64_t>(block_offsets.size()) - 1; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(block_columns.size()); }
};

/// Of a matrix that was converted, its rows not sorted.
template <class T>
BlockPatternView block_pattern(const BcsrMatrix<T>& matrix) {
  return {matrix.block_size, matrix.rows, matrix.columns, matrix.block_offsets,
          matrix.block_columns};
}

/// Of a matrix in CSR: with blocks of one value its own arrays, else counted.
class BlockPattern {
 public:
  /// The matrix must outlive it; its columns must rise within rows. On `threads` threads (0: all).
  BlockPattern(const PatternView& matrix, int block_size, int threads = 0);
  BlockPattern(const BlockPattern&) = delete;
  BlockPattern& operator=(const BlockPattern&) = delete;

  const BlockPatternView& view() const { return view_; }

 private:
  Buffer<std::int64_t> block_offsets_;
  Buffer<std::int32_t> block_columns_;
  BlockPatternView view_;
};

}  // namespace sparsecast
