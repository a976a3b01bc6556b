#include "core/matrix/csr.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t row_grain = 4096;
constexpr std::int64_t value_grain = 65536;
constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

void keep_smaller(std::atomic<std::int64_t>& smallest, std::int64_t candidate) {
  std::int64_t seen = smallest.load(std::memory_order_relaxed);
  while (candidate < seen &&
         !smallest.compare_exchange_weak(seen, candidate, std::memory_order_relaxed)) {
  }
}

/// What is wrong with a row's columns; empty if nothing.
std::string describe_bad_columns(std::span<const std::int32_t> row_columns, std::int64_t columns) {
  std::int64_t previous = -1;
  for (const std::int32_t column : row_columns) {
    if (column < 0 || column >= columns) {
      return "column index " + std::to_string(column) + " lies outside; expected 0 to " +
             std::to_string(columns - 1);
    }
    if (column <= previous) {
      return "column index " + std::to_string(column) + " follows " + std::to_string(previous) +
             "; expected columns that rise strictly within a row";
    }
    previous = column;
  }
  return {};
}

}  // namespace

template <class T>
void check_csr(const CsrView<T>& matrix) {
  const auto fail = [](const std::string& what) { throw Error("CSR matrix: " + what); };
  if (matrix.rows < 0 || matrix.columns < 0) {
    fail("size " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) +
         "; expected none below 0");
  }
  const RowOffsets offsets = matrix.row_offsets;
  if (static_cast<std::int64_t>(offsets.size()) != matrix.rows + 1) {
    fail(std::to_string(offsets.size()) +
         " row offsets; expected rows + 1 = " + std::to_string(matrix.rows + 1));
  }
  if (matrix.values.size() != matrix.column_indices.size()) {
    fail(std::to_string(matrix.values.size()) + " values; expected one for each of the " +
         std::to_string(matrix.nonzeros()) + " column indices");
  }
  if (offsets.front() != 0) {
    fail("row 0: offset " + std::to_string(offsets.front()) + "; expected 0");
  }
  if (offsets.back() != matrix.nonzeros()) {
    fail("last row offset " + std::to_string(offsets.back()) +
         "; expected the number of nonzeros, " + std::to_string(matrix.nonzeros()));
  }

  // Offsets first: only then may columns be addressed through them.
  std::atomic<std::int64_t> first_bad{no_row};
  parallel_for(matrix.rows, row_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      if (offsets[row + 1] < offsets[row] || offsets[row + 1] > matrix.nonzeros()) {
        keep_smaller(first_bad, row);
        return;
      }
    }
  });
  if (const std::int64_t row = first_bad; row != no_row) {
    fail("row " + std::to_string(row) + ": offsets " + std::to_string(offsets[row]) + " and " +
         std::to_string(offsets[row + 1]) +
         "; expected offsets that never fall and end at the number of nonzeros");
  }

  const auto columns_of = [&](std::int64_t row) {
    return matrix.column_indices.subspan(offsets[row], offsets[row + 1] - offsets[row]);
  };
  parallel_for(matrix.rows, row_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t previous = -1;
      bool rising = true;
      for (const std::int32_t column : columns_of(row)) {
        rising &= column > previous;
        previous = column;
      }
      if (!rising || previous >= matrix.columns) {
        keep_smaller(first_bad, row);
        return;
      }
    }
  });
  if (const std::int64_t row = first_bad; row != no_row) {
    fail("row " + std::to_string(row) + ": " +
         describe_bad_columns(columns_of(row), matrix.columns));
  }
}

template <class To, class From>
CsrMatrix<To> convert_values(const CsrView<From>& matrix) {
  CsrMatrix<To> result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.row_offsets = matrix.row_offsets.copy();
  result.column_indices.resize(matrix.column_indices.size());
  result.values.resize(matrix.values.size());
  parallel_for(matrix.nonzeros(), value_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      result.column_indices[k] = matrix.column_indices[k];
      result.values[k] = static_cast<To>(matrix.values[k]);
    }
  });
  return result;
}

template void check_csr(const CsrView<float>&);
template void check_csr(const CsrView<double>&);
template CsrMatrix<float> convert_values<float, float>(const CsrView<float>&);
template CsrMatrix<float> convert_values<float, double>(const CsrView<double>&);
template CsrMatrix<double> convert_values<double, float>(const CsrView<float>&);
template CsrMatrix<double> convert_values<double, double>(const CsrView<double>&);

}  // namespace sparsecast
