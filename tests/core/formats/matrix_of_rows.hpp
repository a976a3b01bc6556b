#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A matrix of ones in these columns of each row.
inline CsrMatrix<double> matrix_of_rows(const std::vector<std::vector<std::int32_t>>& rows,
                                        std::int64_t columns) {
  CsrMatrix<double> matrix;
  matrix.rows = std::ssize(rows);
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (const std::vector<std::int32_t>& row : rows) {
    for (const std::int32_t column : row) {
      matrix.column_indices.push_back(column);
      matrix.values.push_back(1);
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  return matrix;
}

/// Rows of so many entries, 64 columns apart, all in the same columns.
inline CsrMatrix<double> same_rows(std::int64_t rows, std::int32_t length) {
  std::vector<std::int32_t> columns;
  for (std::int32_t k = 0; k < length; ++k) columns.push_back(64 * k);
  const std::vector<std::vector<std::int32_t>> all(static_cast<std::size_t>(rows), columns);
  return matrix_of_rows(all, std::int64_t{64} * length);
}

}  // namespace sparsecast
