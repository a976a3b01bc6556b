#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A value in (0.5, 1.5) or its negative: never zero.
inline double random_value(std::mt19937& random) {
  const double magnitude = std::uniform_real_distribution<double>(0.5, 1.5)(random);
  return random() % 2 == 0 ? magnitude : -magnitude;
}

/// A small random matrix with rows of 0 to 2 * `mean_length` entries, columns rising within rows.
template <class T>
CsrMatrix<T> random_csr(std::int64_t rows, std::int64_t columns, std::int64_t mean_length,
                        unsigned seed) {
  std::mt19937 random(seed);
  CsrMatrix<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto wanted = std::min<std::int64_t>(
        std::uniform_int_distribution<std::int64_t>(0, 2 * mean_length)(random), columns);
    std::set<std::int32_t> chosen;
    while (static_cast<std::int64_t>(chosen.size()) < wanted) {
      chosen.insert(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(columns)));
    }
    for (const std::int32_t column : chosen) {
      matrix.column_indices.push_back(column);
      matrix.values.push_back(static_cast<T>(random_value(random)));
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(chosen.size()) +
                                 matrix.row_offsets.back());
  }
  return matrix;
}

}  // namespace sparsecast
