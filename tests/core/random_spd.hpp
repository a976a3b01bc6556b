#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {

/// S B S with B sparse, symmetric and diagonally dominant, and S a diagonal of numbers spread over
/// `decades` powers of ten: positive definite, well conditioned for Jacobi preconditioning, and
/// hard for anything else when the diagonal varies.
inline CsrMatrix<double> random_spd(std::int64_t rows, int entries_per_row, double decades,
                                    unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::map<std::int32_t, double>> entries(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int k = 0; k < entries_per_row / 2; ++k) {
      const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
      if (j == i) continue;
      const double value = random_value(random);
      entries[i][static_cast<std::int32_t>(j)] = value;
      entries[j][static_cast<std::int32_t>(i)] = value;
    }
  }
  std::vector<double> scale(static_cast<std::size_t>(rows));
  std::uniform_real_distribution<double> exponent(-decades / 4, decades / 4);
  for (double& s : scale) s = std::pow(10, exponent(random));
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = rows;
  matrix.row_offsets.push_back(0);
  for (std::int64_t i = 0; i < rows; ++i) {
    double dominance = 0.2;
    for (const auto& [j, value] : entries[i]) dominance += std::abs(value);
    entries[i][static_cast<std::int32_t>(i)] = dominance;
    for (const auto& [j, value] : entries[i]) {
      matrix.column_indices.push_back(j);
      matrix.values.push_back(scale[i] * value * scale[j]);
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.values.size()));
  }
  return matrix;
}

/// Values that are never zero.
template <class T>
std::vector<T> random_vector(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& value : values) value = static_cast<T>(random_value(random));
  return values;
}

}  // namespace sparsecast
