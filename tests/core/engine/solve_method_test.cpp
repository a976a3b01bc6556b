#include "core/engine/solve_method.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/reference_run.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/random_spd.hpp"
#include "core/schedule/method/method_json.hpp"

namespace sparsecast {
namespace {

template <class T>
std::vector<T> random_vector(std::int64_t size) {
  std::mt19937 random(3);
  std::vector<T> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random_value(random)));
  return values;
}

class ShippedSchedule : public testing::TestWithParam<std::string> {};

TEST_P(ShippedSchedule, TakesTheIterationsOfTheReferenceFusedAndStepByStepOnOneAndTwoDevices) {
  const ShippedSystem system(GetParam());
  for (const int devices : {1, 2}) {
    CpuPolicy eager;
    eager.values_per_thread = 1;
    CpuBackend backend(devices, devices, eager);
    for (const Execution execution : {Execution::fused, Execution::step_by_step}) {
      SCOPED_TRACE(std::to_string(devices) + (execution == Execution::fused ? " fused" : ""));
      system.expect_solved(backend, execution);
    }
  }
}

TEST_P(ShippedSchedule, SolvesInSinglePrecision) {
  const CsrMatrix<float> matrix = convert_values<float>(matrix_for_schedule(GetParam()).view());
  const std::vector<float> b = random_vector<float>(matrix.rows);
  std::vector<float> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  SolveOptions options;
  options.stop.tolerance = 1e-4;
  options.stop.max_iterations = 5000;
  const SolveResult result =
      solve_by_method<float>(backend, shipped_method(GetParam()), {}, matrix.view(), b, x, options);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LE(result.residual_norm, 2e-4 * result.right_hand_side_norm);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedSchedule, testing::ValuesIn(shipped_names()),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(SolveByMethod, MultipliesByTheTransposeInEveryLayout) {
  const CsrMatrix<double> matrix = dominant_matrix(150);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  for (const char* layout : {"csr", "bcsr2", "bcsr3-sorted", "bcsr8", "dia"}) {
    SCOPED_TRACE(layout);
    CpuBackend backend(2, 2, {});
    std::vector<double> x(b.size(), 0);
    SolveOptions options;
    options.layout = parse_layout(layout);
    const SolveResult result =
        solve_by_method<double>(backend, shipped_method("bicg"), {}, matrix.view(), b, x, options);
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(result.residual_norm, 2e-8 * result.right_hand_side_norm);
  }
}

TEST(SolveByMethod, RunsAsManyIterationsAsAreAsked) {
  const CsrMatrix<double> matrix = laplacian(5, 20, 20);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  SolveOptions options;
  options.stop = {StopRule::Kind::fixed_iterations, 0, 7};
  const SolveResult result =
      solve_by_method<double>(backend, shipped_method("cg"), {}, matrix.view(), b, x, options);
  EXPECT_EQ(result.outcome, Outcome::iteration_limit);
  EXPECT_EQ(result.iterations, 7);
}

TEST(SolveByMethod, HoldsCncAgainstTheNormOfTheInverseDiagonalWhereThatIsAsked) {
  // The two norms differ by the spread of the diagonal.
  const CsrMatrix<double> matrix = random_spd(300, 8, 8, 2);
  std::vector<double> b(static_cast<std::size_t>(matrix.rows), 0);
  b.front() = 1;
  CpuBackend backend(1, 1, {});
  const auto solve_with = [&](StopRule::Kind kind) {
    std::vector<double> x(b.size(), 0);
    SolveOptions options;
    options.stop = {kind, 1e-6, 1000};
    return solve_by_method<double>(backend, shipped_method("cnc"), {}, matrix.view(), b, x, options,
                                   Execution::step_by_step);
  };
  const SolveResult result = solve_with(StopRule::Kind::preconditioned);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LE(result.preconditioned_norm.value(), 1.01e-6 * result.first_preconditioned_norm.value());
  const SolveResult other = solve_with(StopRule::Kind::relative);
  EXPECT_EQ(other.outcome, Outcome::stagnated);
  EXPECT_EQ(other.iterations, result.iterations);
  EXPECT_FALSE(other.preconditioned_norm);
  EXPECT_FALSE(other.first_preconditioned_norm);
}

TEST(SolveByMethod, TakesSettingsAndRefusesThoseThatThereAreNot) {
  const CsrMatrix<double> matrix = dominant_matrix(60);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  CpuBackend backend(1, 1, {});
  const auto iterations = [&](double m) {
    std::vector<double> x(b.size(), 0);
    return solve_by_method<double>(backend, shipped_method("gmres"), {{"m", m}}, matrix.view(), b,
                                   x, {})
        .iterations;
  };
  EXPECT_GT(iterations(2), iterations(20));
  std::vector<double> x(b.size(), 0);
  EXPECT_THROW(solve_by_method<double>(backend, shipped_method("gmres"), {{"n", 3}}, matrix.view(),
                                       b, x, {}),
               Error);
  EXPECT_THROW(solve_by_method<double>(backend, shipped_method("gmres"), {{"m", 2.5}},
                                       matrix.view(), b, x, {}),
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
  const CsrMatrix<double> matrix = dominant_matrix(80);
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
      solve_by_method<double>(backend, shipped_method("cg-plain"), {}, matrix.view(), b, x, {});
  EXPECT_EQ(result.outcome, Outcome::not_positive_definite);
}

/// The outcome of a shipped solver on a small matrix, b being ones.
SolveResult outcome_on(const CsrMatrix<double>& matrix, const std::string& solver,
                       const NamedNumbers& settings = {}) {
  const std::vector<double> b(static_cast<std::size_t>(matrix.rows), 1);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  return solve_by_method<double>(backend, shipped_method(solver), settings, matrix.view(), b, x,
                                 {});
}

CsrMatrix<double> two_by_two(double a, double b, double c, double d) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 2;
  matrix.row_offsets = {0, 2, 4};
  matrix.column_indices = {0, 1, 0, 1};
  matrix.values = {a, b, c, d};
  return matrix;
}

TEST(SolveByMethod, SaysWhereARecurrenceBreaksDown) {
  // (1, 1) A (1, 1) is 0, and the matrix is regular.
  const CsrMatrix<double> matrix = two_by_two(1, -3, 1, 1);
  for (const char* solver : {"bicg", "bicgstab"}) {
    EXPECT_EQ(outcome_on(matrix, solver).outcome, Outcome::breakdown) << solver;
  }
  EXPECT_EQ(outcome_on(matrix, "gmres").outcome, Outcome::converged);
}

TEST(SolveByMethod, SaysThatAPreconditionerWouldDivideByZero) {
  const CsrMatrix<double> matrix = two_by_two(0, 1, 1, 3);
  for (const char* solver : {"cg", "bicg", "bicgstab", "chebyshev", "pipelined-gv"}) {
    EXPECT_EQ(outcome_on(matrix, solver).outcome, Outcome::nonpositive_diagonal) << solver;
  }
  EXPECT_EQ(outcome_on(matrix, "gmres").outcome, Outcome::converged);
  EXPECT_EQ(outcome_on(matrix, "minres").outcome, Outcome::converged);
  // One that is negative is enough to end conjugate gradients, and only these.
  const CsrMatrix<double> negative = two_by_two(-5, 1, 1, 3);
  EXPECT_EQ(outcome_on(negative, "cg").outcome, Outcome::nonpositive_diagonal);
  EXPECT_EQ(outcome_on(negative, "bicgstab").outcome, Outcome::converged);
}

TEST(SolveByMethod, RefusesARestartAfterMoreStepsThanThereAreUnknowns) {
  EXPECT_EQ(outcome_on(two_by_two(2, 1, 0, 3), "gmres", {{"m", 2}}).outcome, Outcome::converged);
  EXPECT_THROW(outcome_on(two_by_two(2, 1, 0, 3), "gmres", {{"m", 3}}), Error);
  EXPECT_THROW(outcome_on(two_by_two(2, 1, 0, 3), "gmres", {{"m", 0}}), Error);
}

TEST(SolveByMethod, EndsAtANumberThatIsNotFinite) {
  CsrMatrix<double> matrix = two_by_two(2, 1, 1, 3);
  std::vector<double> b{1, std::numeric_limits<double>::quiet_NaN()};
  for (const std::string& name : shipped_names()) {
    std::vector<double> x(b.size(), 0);
    CpuBackend backend(1, 1, {});
    const SolveResult result =
        solve_by_method<double>(backend, shipped_method(name), {}, matrix.view(), b, x, {});
    EXPECT_EQ(result.outcome, Outcome::not_finite) << name;
  }
}

TEST(SolveByMethod, RecordsTheResidualOfEveryIteration) {
  const CsrMatrix<double> matrix = laplacian(5, 20, 20);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  CpuBackend backend(1, 1, {});
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    SolveOptions options;
    options.stop.tolerance = 1e-3;
    std::vector<double> x(b.size(), 0);
    const Method& method = shipped_method(name);
    const SolveResult alone =
        solve_by_method<double>(backend, method, {}, matrix.view(), b, x, options);
    std::vector<double> norms;
    options.record = [&](std::int64_t iteration, double norm) {
      EXPECT_EQ(iteration, static_cast<std::int64_t>(norms.size()));
      norms.push_back(norm);
    };
    std::ranges::fill(x, 0);
    const auto solve_and_record = [&] {
      return solve_by_method<double>(backend, method, {}, matrix.view(), b, x, options);
    };
    if (method.roles.contains("residual_norm") || method.roles.contains("residual_square")) {
      const SolveResult result = solve_and_record();
      EXPECT_EQ(result.outcome, Outcome::converged);
      EXPECT_EQ(result.iterations, alone.iterations);
      ASSERT_EQ(norms.size(), static_cast<std::size_t>(result.iterations) + 1);
      EXPECT_NEAR(norms.front(), result.right_hand_side_norm, 1e-12 * norms.front());
      EXPECT_EQ(norms.back(), result.recurrence_norm);
      EXPECT_NEAR(norms.back(), result.residual_norm, 1e-6 * norms.front());
    } else {
      EXPECT_FALSE(alone.recurrence_norm);
      EXPECT_THROW(solve_and_record(), Error);
    }
  }
}

TEST(SolveByMethod, SaysWhereRoundingPartsTheTwoResiduals) {
  const CsrMatrix<float> matrix = convert_values<float>(laplacian(5, 20, 20).view());
  const std::vector<float> b = random_vector<float>(matrix.rows);
  CpuBackend backend(1, 1, {});
  const auto after = [&](std::int64_t iterations) {
    std::vector<float> x(b.size(), 0);
    SolveOptions options;
    options.stop = {StopRule::Kind::fixed_iterations, 0, iterations};
    return solve_by_method<float>(backend, shipped_method("cg"), {}, matrix.view(), b, x, options);
  };
  EXPECT_FALSE(after(10).residuals_part());
  EXPECT_TRUE(after(100).residuals_part());
}

TEST(SolveByMethod, RefusesStoppingRulesOfNegativeNumbers) {
  const CsrMatrix<double> matrix = laplacian(5, 8, 8);
  const std::vector<double> b = random_vector<double>(matrix.rows);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1, {});
  SolveOptions options;
  options.stop.tolerance = -1;
  EXPECT_THROW(
      solve_by_method<double>(backend, shipped_method("cg"), {}, matrix.view(), b, x, options),
      Error);
}

TEST(SolveByMethod, EndsAtOnceForARightHandSideOfZeros) {
  const CsrMatrix<double> matrix = laplacian(5, 8, 8);
  const std::vector<double> b(static_cast<std::size_t>(matrix.rows), 0);
  std::vector<double> x(b.size(), 3);
  CpuBackend backend(1, 1, {});
  const SolveResult result =
      solve_by_method<double>(backend, shipped_method("cg"), {}, matrix.view(), b, x, {});
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(b.size(), 0));
}

}  // namespace
}  // namespace sparsecast
