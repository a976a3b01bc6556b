#include "core/engine/solve_method.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/reference_run.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/random_spd.hpp"
#include "core/schedule/method/method_json.hpp"

namespace sparsecast {
namespace {

Method shipped(const std::string& name) {
  return read_method_file(std::string(SPARSECAST_SOURCE_DIR) + "/schedules/" + name + ".json");
}

/// Which matrices a method is for.
bool needs_symmetric(const std::string& name) {
  return name != "bicgstab" && name != "gmres";
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SPARSECAST_SOURCE_DIR) + "/schedules")) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// A random matrix that is not symmetric, with a diagonal that outweighs its rows.
CsrMatrix<double> dominant(std::int64_t rows) {
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

template <class T>
std::vector<T> random_vector(std::int64_t size) {
  std::mt19937 random(3);
  std::vector<T> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random_value(random)));
  return values;
}

class ShippedSchedule : public testing::TestWithParam<std::string> {
 protected:
  static CsrMatrix<double> matrix_for(const std::string& name) {
    return needs_symmetric(name) ? laplacian(5, 12, 11) : dominant(150);
  }
};

TEST_P(ShippedSchedule, TakesTheIterationsOfTheReferenceFusedAndStepByStepOnOneAndTwoDevices) {
  const Method method = shipped(GetParam());
  const CsrMatrix<double> matrix = matrix_for(GetParam());
  const std::vector<double> b = random_vector<double>(matrix.rows);
  const std::vector<double> zero(b.size(), 0);
  const ReferenceResult expected = reference_run(method, matrix.view(), b, zero, {{}, 1e-9, 5000});
  ASSERT_EQ(expected.outcome, Outcome::converged);
  for (const int devices : {1, 2}) {
    CpuPolicy eager;
    eager.values_per_thread = 1;
    CpuBackend backend(devices, devices, eager);
    for (const Execution execution : {Execution::fused, Execution::step_by_step}) {
      SCOPED_TRACE(std::to_string(devices) + (execution == Execution::fused ? " fused" : ""));
      SolveOptions options;
      options.stop.tolerance = 1e-9;
      options.stop.max_iterations = 5000;
      std::vector<double> x(b.size(), 0);
      const SolveResult result =
          solve_by_method<double>(backend, method, {}, matrix.view(), b, x, options, execution);
      EXPECT_EQ(result.outcome, Outcome::converged);
      // Sums in another order may find the limit an iteration sooner or later.
      EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                  2 + 0.02 * static_cast<double>(expected.iterations));
      EXPECT_LE(result.residual_norm, 2e-9 * result.right_hand_side_norm);
    }
  }
}

TEST_P(ShippedSchedule, SolvesInSinglePrecision) {
  const CsrMatrix<float> matrix = convert_values<float>(matrix_for(GetParam()).view());
  const std::vector<float> b = random_vector<float>(matrix.rows);
  std::vector<float> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  SolveOptions options;
  options.stop.tolerance = 1e-4;
  options.stop.max_iterations = 5000;
  const SolveResult result =
      solve_by_method<float>(backend, shipped(GetParam()), {}, matrix.view(), b, x, options);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LE(result.residual_norm, 2e-4 * result.right_hand_side_norm);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedSchedule, testing::ValuesIn(shipped_names()),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(SolveByMethod, RunsAsManyIterationsAsAreAsked) {
  const CsrMatrix<double> matrix = laplacian(5, 20, 20);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  SolveOptions options;
  options.stop = {StopRule::Kind::fixed_iterations, 0, 7};
  const SolveResult result =
      solve_by_method<double>(backend, shipped("cg"), {}, matrix.view(), b, x, options);
  EXPECT_EQ(result.outcome, Outcome::iteration_limit);
  EXPECT_EQ(result.iterations, 7);
}

TEST(SolveByMethod, TakesSettingsAndRefusesThoseThatThereAreNot) {
  const CsrMatrix<double> matrix = dominant(60);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  CpuBackend backend(1, 1, {});
  const auto iterations = [&](double m) {
    std::vector<double> x(b.size(), 0);
    return solve_by_method<double>(backend, shipped("gmres"), {{"m", m}}, matrix.view(), b, x, {})
        .iterations;
  };
  EXPECT_GT(iterations(2), iterations(20));
  std::vector<double> x(b.size(), 0);
  EXPECT_THROW(
      solve_by_method<double>(backend, shipped("gmres"), {{"n", 3}}, matrix.view(), b, x, {}),
      Error);
  EXPECT_THROW(
      solve_by_method<double>(backend, shipped("gmres"), {{"m", 2.5}}, matrix.view(), b, x, {}),
      Error);
}

TEST(SolveByMethod, RunsTheFinishHoweverTheRunEnded) {
  // Jacobi's method on y, from which x is made at the end.
  const Method method = read_method(
      R"json({"schema": 1, "name": "late", "operators": {"A": "matrix", "M": "inverse diagonal"},
          "vectors": ["x", "b", "y", "r", "q"], "scalars": ["rr"],
          "roles": {"solution": "x", "right_hand_side": "b", "residual_square": "rr"},
          "setup": [{"vector": ["y = x"]}],
          "iteration": [{"apply": "q = A*y"},
                        {"vector": ["r = b - q", "rr = dot(r, r)"]},
                        {"check": ["sqrt(rr) <= residual_limit : converged"]},
                        {"vector": ["y = y + M*r"]}],
          "finish": [{"vector": ["x = y"]}]})json",
      "test");
  const CsrMatrix<double> matrix = dominant(80);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  for (const int devices : {1, 2}) {
    CpuBackend backend(devices, devices, {});
    std::vector<double> x(b.size(), 0);
    SolveResult result = solve_by_method<double>(backend, method, {}, matrix.view(), b, x, {});
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(result.residual_norm, 2e-8 * result.right_hand_side_norm);
    SolveOptions few;
    few.stop = {StopRule::Kind::fixed_iterations, 0, 3};
    std::ranges::fill(x, 0);
    result = solve_by_method<double>(backend, method, {}, matrix.view(), b, x, few);
    EXPECT_EQ(result.outcome, Outcome::iteration_limit);
    EXPECT_LT(result.residual_norm, 0.9 * result.right_hand_side_norm);
  }
}

TEST(SolveByMethod, SaysThatAMatrixIsNotPositiveDefinite) {
  CsrMatrix<double> matrix = laplacian(5, 8, 8);
  for (double& value : matrix.values) value = -value;
  const std::vector<double> b = random_vector<double>(matrix.rows);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  const SolveResult result =
      solve_by_method<double>(backend, shipped("cg-plain"), {}, matrix.view(), b, x, {});
  EXPECT_EQ(result.outcome, Outcome::not_positive_definite);
}

TEST(SolveByMethod, EndsAtOnceForARightHandSideOfZeros) {
  const CsrMatrix<double> matrix = laplacian(5, 8, 8);
  const std::vector<double> b(static_cast<std::size_t>(matrix.rows), 0);
  std::vector<double> x(b.size(), 3);
  CpuBackend backend(1, 1, {});
  const SolveResult result =
      solve_by_method<double>(backend, shipped("cg"), {}, matrix.view(), b, x, {});
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(b.size(), 0));
}

}  // namespace
}  // namespace sparsecast
