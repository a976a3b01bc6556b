#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/transpose.hpp"

/// @file
/// Values for generated patterns.

namespace sparsecast {

/// The square matrix of a pattern; its values are not set.
inline CsrMatrix<double> square_matrix(CsrPattern pattern) {
  CsrMatrix<double> matrix;
  matrix.rows = static_cast<std::int64_t>(pattern.row_offsets.size()) - 1;
  matrix.columns = matrix.rows;
  matrix.row_offsets = std::move(pattern.row_offsets);
  matrix.column_indices = std::move(pattern.column_indices);
  matrix.values.resize(matrix.column_indices.size());
  return matrix;
}

/// Fills values row by row: `off_diagonal(row, column)`, and the diagonal as the sum of the others'
/// absolute values plus 1, which makes a symmetric matrix positive definite.
template <class OffDiagonal>
void fill_dominant_values(CsrMatrix<double>& matrix, const OffDiagonal& off_diagonal, int threads) {
  parallel_rows(
      matrix.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          double sum = 1;
          double* diagonal = nullptr;
          for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
            if (matrix.column_indices[k] == row) {
              diagonal = &matrix.values[k];
            } else {
              matrix.values[k] = off_diagonal(row, matrix.column_indices[k]);
              sum += std::abs(matrix.values[k]);
            }
          }
          if (diagonal != nullptr) *diagonal = sum;
        }
      },
      threads);
}

}  // namespace sparsecast
