#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/generate/generators.hpp"

/// @file
/// What the CPU benchmarks run on, and how they sum up.

namespace sparsecast {

struct MatrixCase {
  std::string name;
  std::function<CsrMatrix<double>()> make;
  int natural_block = 0;  ///< the block size that its pattern suits, 0 for none
  bool streams = true;    ///< lookups hit the cache: bandwidth is the limit beyond it
};

/// Grids and finite elements from a fraction of the first-level cache to far beyond the last level,
/// random and power-law matrices.
inline std::vector<MatrixCase> matrix_cases() {
  std::vector<MatrixCase> all;
  for (const std::int64_t n : {10, 30, 100, 300, 1000, 2000}) {
    all.push_back({"5-point_" + std::to_string(n) + "^2", [n] { return laplacian(5, n, n); }});
  }
  for (const std::int64_t n : {10, 30, 60, 100}) {
    all.push_back({"27-point_" + std::to_string(n) + "^3", [n] { return laplacian(27, n, n, n); }});
  }
  for (const std::int64_t cells : {8, 20, 40, 60}) {
    all.push_back(
        {"fem_p1_" + std::to_string(cells), [cells] { return fem_elasticity(1, cells, 1); }, 3});
  }
  for (const std::int64_t cells : {8, 20}) {
    all.push_back(
        {"fem_p2_" + std::to_string(cells), [cells] { return fem_elasticity(2, cells, 1); }, 3});
  }
  for (const std::int64_t rows : {20000, 1000000}) {
    all.push_back({"random_" + std::to_string(rows),
                   [rows] {
                     RandomMatrixSpec spec;
                     spec.rows = rows;
                     spec.mean_row_length = 10;
                     spec.stddev_row_length = 4;
                     spec.bandwidth_fraction = 0.05;
                     spec.row_similarity = 0.3;
                     return random_matrix(spec);
                   },
                   0, false});
  }
  for (const std::int64_t rows : {20000, 1000000}) {
    all.push_back({"power_law_" + std::to_string(rows),
                   [rows] { return power_law(rows, 8, 2.2, 1); }, 0, false});
  }
  return all;
}

/// The last matrix made: cases are visited one after the other, in both precisions.
inline const CsrMatrix<double>& matrix_of(const MatrixCase& which) {
  static std::string name;
  static CsrMatrix<double> matrix;
  if (name != which.name) {
    matrix = {};
    matrix = which.make();
    name = which.name;
  }
  return matrix;
}

/// The middle of the values (the upper one of two).
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Ratios by name; at the end their geometric means and extremes.
struct RatioSummary {
  std::map<std::string, std::vector<double>> ratios;

  void add(const std::string& name, double ratio) { ratios[name].push_back(ratio); }
  void print(const char* title) const {
    std::printf("\n%-44s %8s %8s %8s %6s\n", title, "geomean", "min", "max", "count");
    for (const auto& [name, values] : ratios) {
      double logarithms = 0;
      for (const double value : values) logarithms += std::log(value);
      std::printf("%-44s %8.3f %8.3f %8.3f %6zu\n", name.c_str(),
                  std::exp(logarithms / static_cast<double>(values.size())),
                  *std::ranges::min_element(values), *std::ranges::max_element(values),
                  values.size());
    }
  }
};

}  // namespace sparsecast
