#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/engine/reference_run.hpp"
#include "core/engine/solve_method.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {

/// A random matrix that is not symmetric, with a diagonal that outweighs its rows.
inline CsrMatrix<double> dominant_matrix(std::int64_t rows) {
  CsrMatrix<double> matrix = random_csr<double>(rows, rows, 6, 7);
  CsrMatrix<double> result;
  result.rows = result.columns = rows;
  result.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    bool placed = false;
    const auto place_diagonal = [&] {
      result.column_indices.push_back(static_cast<std::int32_t>(row));
      result.values.push_back(0);
      placed = true;
    };
    std::size_t at = 0;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int32_t column = matrix.column_indices[k];
      if (column >= row && !placed) {
        at = result.values.size();
        place_diagonal();
      }
      if (column == row) continue;
      result.column_indices.push_back(column);
      result.values.push_back(matrix.values[k]);
      sum += std::abs(matrix.values[k]);
    }
    if (!placed) {
      at = result.values.size();
      place_diagonal();
    }
    result.values[at] = 1.2 * sum + 0.5;
    result.row_offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

/// A matrix that a shipped schedule solves with.
inline CsrMatrix<double> matrix_for_schedule(const std::string& name) {
  return shipped_method(name).needs != MatrixKind::square ? laplacian(5, 12, 11)
                                                          : dominant_matrix(150);
}

/// A system for a shipped schedule, and what the reference run makes of it.
struct ShippedSystem {
  explicit ShippedSystem(const std::string& name)
      : method(shipped_method(name)), matrix(matrix_for_schedule(name)) {
    std::mt19937 random(3);
    for (std::int64_t i = 0; i < matrix.rows; ++i) b.push_back(random_value(random));
    expected = reference_run(method, matrix.view(), b, std::vector<double>(b.size(), 0),
                             {{}, tolerance, most_iterations});
    EXPECT_EQ(expected.outcome, Outcome::converged);
  }

  /// Solves as the reference run does.
  void expect_solved(Backend& backend, Execution execution) const {
    SolveOptions options;
    options.stop.tolerance = tolerance;
    options.stop.max_iterations = most_iterations;
    std::vector<double> x(b.size(), 0);
    const SolveResult result =
        solve_by_method<double>(backend, method, {}, matrix.view(), b, x, options, execution);
    EXPECT_EQ(result.outcome, Outcome::converged);
    // Sums in another order may find the limit an iteration sooner or later.
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                2 + 0.02 * static_cast<double>(expected.iterations));
    EXPECT_LE(result.residual_norm, 2 * tolerance * result.right_hand_side_norm);
  }

  static constexpr double tolerance = 1e-9;
  static constexpr std::int64_t most_iterations = 5000;
  Method method;
  CsrMatrix<double> matrix;
  std::vector<double> b;
  ReferenceResult expected;
};

}  // namespace sparsecast
