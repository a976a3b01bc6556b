#pragma once

#include <cstdint>

#include "core/base/threads/parallel_rows.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {

/// Builds a square matrix from a function that gives a row's length and one that fills the row's
/// columns and values; both are called for any row on any thread. `threads` = 0: all.
template <class Length, class Fill>
CsrMatrix<double> build_rows(std::int64_t rows, int threads, const Length& length,
                             const Fill& fill) {
  constexpr std::int64_t grain = 1 << 7;
  CsrMatrix<double> matrix;
  matrix.rows = rows;
  matrix.columns = rows;
  matrix.row_offsets.resize(rows + 1);
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) matrix.row_offsets[row + 1] = length(row);
      },
      threads);
  lengths_to_offsets(matrix.row_offsets);
  matrix.column_indices.resize(matrix.row_offsets[rows]);
  matrix.values.resize(matrix.row_offsets[rows]);
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t first = matrix.row_offsets[row];
          fill(row, &matrix.column_indices[first], &matrix.values[first]);
        }
      },
      threads);
  return matrix;
}

}  // namespace sparsecast
