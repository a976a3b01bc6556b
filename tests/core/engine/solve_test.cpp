#include "core/engine/solve.hpp"

#include <gtest/gtest.h>

#include <Eigen/Sparse>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/random_spd.hpp"

namespace sparsecast {
namespace {

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

EigenMatrix to_eigen(const CsrMatrix<double>& matrix) {
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    for (auto k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      entries.emplace_back(i, matrix.column_indices[k], matrix.values[k]);
    }
  }
  EigenMatrix result(matrix.rows, matrix.columns);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// A small matrix given densely; zeros are not stored.
template <class T = double>
CsrMatrix<T> small_matrix(const std::vector<std::vector<T>>& rows) {
  CsrMatrix<T> matrix;
  matrix.rows = static_cast<std::int64_t>(rows.size());
  matrix.columns = matrix.rows;
  matrix.row_offsets.push_back(0);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      matrix.column_indices.push_back(static_cast<std::int32_t>(j));
      matrix.values.push_back(row[j]);
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.values.size()));
  }
  return matrix;
}

template <class T>
SolveResult solve_on(const CsrMatrix<T>& matrix, const std::vector<T>& b, std::vector<T>& x,
                     const StopRule& stop, int devices = 1, int threads = 1,
                     const std::string& schedule = {}) {
  CpuBackend backend(devices, threads, {.values_per_thread = 1});
  return solve(backend, matrix.view(), b, x,
               {.layout = {}, .stop = stop, .schedule = schedule, .keep_going = {}});
}

/// What holds for both schedules.
class SolveTest : public testing::TestWithParam<std::string> {
 protected:
  template <class T>
  static SolveResult solve_on(const CsrMatrix<T>& matrix, const std::vector<T>& b,
                              std::vector<T>& x, const StopRule& stop) {
    return sparsecast::solve_on(matrix, b, x, stop, 1, 1, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Schedules, SolveTest, testing::Values("algorithm1", "fused"),
                         [](const auto& schedule) { return schedule.param; });

/// The second difference on a line: CG needs as many iterations as half the unknowns.
template <class T>
CsrMatrix<T> line(std::int64_t n) {
  CsrMatrix<T> matrix;
  matrix.rows = matrix.columns = n;
  matrix.row_offsets.push_back(0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = std::max<std::int64_t>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(j));
      matrix.values.push_back(i == j ? 2 : -1);
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.values.size()));
  }
  return matrix;
}

TEST_P(SolveTest, NeedsAsManyIterationsAsEigen) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    for (const double decades : {0.0, 4.0, 8.0}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", decades " + std::to_string(decades));
      const CsrMatrix<double> matrix = random_spd(400, 10, decades, seed);
      const auto b = random_vector<double>(matrix.rows, seed + 100);
      Eigen::ConjugateGradient<EigenMatrix, Eigen::Lower | Eigen::Upper,
                               Eigen::DiagonalPreconditioner<double>>
          eigen;
      eigen.setTolerance(1e-8);
      const EigenMatrix a = to_eigen(matrix);
      eigen.compute(a);
      const Eigen::VectorXd expected =
          eigen.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), matrix.rows));

      std::vector<double> x(b.size(), 0);
      const SolveResult result = solve_on(matrix, b, x, {.tolerance = 1e-8});
      EXPECT_EQ(result.outcome, Outcome::converged);
      EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(eigen.iterations()),
                  1);
      EXPECT_LE(result.residual_norm, 1.01e-8 * result.right_hand_side_norm);
      const Eigen::VectorXd mine = Eigen::Map<const Eigen::VectorXd>(x.data(), matrix.rows);
      EXPECT_LT((a * (mine - expected)).norm(), 3e-8 * result.right_hand_side_norm);
    }
  }
}

TEST_P(SolveTest, StopsInTheNormOfTheInverseDiagonalWhereALoopInEigenDoes) {
  for (const double decades : {0.0, 6.0}) {
    const CsrMatrix<double> matrix = random_spd(400, 10, decades, 3);
    const auto b = random_vector<double>(matrix.rows, 4);
    const auto start = random_vector<double>(matrix.rows, 5);
    const EigenMatrix a = to_eigen(matrix);
    const Eigen::VectorXd inverse = a.diagonal().cwiseInverse();
    Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(start.data(), matrix.rows);
    Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(b.data(), matrix.rows) - a * x;
    Eigen::VectorXd d = inverse.cwiseProduct(r);
    double delta = r.dot(d);
    const double epsilon = 1e-7;
    const double first = delta;
    std::int64_t iterations = 0;
    for (; delta > epsilon * epsilon * first; ++iterations) {
      const Eigen::VectorXd q = a * d;
      const double alpha = delta / d.dot(q);
      x += alpha * d;
      r -= alpha * q;
      const Eigen::VectorXd s = inverse.cwiseProduct(r);
      const double before = delta;
      delta = r.dot(s);
      d = s + delta / before * d;
    }

    std::vector<double> mine = start;
    const SolveResult result =
        solve_on(matrix, b, mine, {StopRule::Kind::preconditioned, epsilon, 1000});
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(std::abs(result.iterations - iterations), 1);
    const double first_norm = result.first_preconditioned_norm.value();
    EXPECT_NEAR(first_norm, std::sqrt(first), 1e-10 * std::sqrt(first));
    EXPECT_LE(result.preconditioned_norm.value(), 1.01 * epsilon * first_norm);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_NEAR(mine[i], x[static_cast<Eigen::Index>(i)], 1e-4) << i;
    }
  }
}

TEST_P(SolveTest, IsStagnatedWhereRoundingPartsTheNormOfTheInverseDiagonal) {
  const CsrMatrix<float> matrix = convert_values<float>(random_spd(400, 10, 0, 3).view());
  const auto b = random_vector<float>(matrix.rows, 4);
  std::vector<float> x(b.size(), 0);
  const SolveResult result = solve_on(matrix, b, x, {StopRule::Kind::preconditioned, 1e-12, 1000});
  EXPECT_EQ(result.outcome, Outcome::stagnated);
  EXPECT_GT(result.preconditioned_norm.value(), 2e-12 * result.first_preconditioned_norm.value());
}

TEST_P(SolveTest, StopsAtTheFirstIterationWhoseResidualIsSmallEnough) {
  // The residuals of all iterations, from runs of 1, 2, ... iterations.
  const CsrMatrix<double> matrix = random_spd(150, 8, 6, 7);
  const auto b = random_vector<double>(matrix.rows, 8);
  std::vector<double> residuals;
  for (std::int64_t k = 1; k <= 40; ++k) {
    std::vector<double> x(b.size(), 0);
    residuals.push_back(
        solve_on(matrix, b, x, {StopRule::Kind::fixed_iterations, 0, k}).residual_norm);
  }
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    std::vector<double> x(b.size(), 0);
    const SolveResult result = solve_on(matrix, b, x, {.tolerance = tolerance});
    const auto first = std::ranges::find_if(residuals, [&](double residual) {
      return residual <= tolerance * result.right_hand_side_norm;
    });
    ASSERT_NE(first, residuals.end());
    EXPECT_EQ(result.iterations, first - residuals.begin() + 1) << tolerance;
  }
}

struct Printed {
  std::vector<double> x;
  std::int64_t iterations = 0;
};

/// Algorithm 1, line by line, on one device; the loop goes on while not converged.
Printed algorithm1(const CsrMatrix<double>& a, const std::vector<double>& b, std::vector<double> x,
                   double tolerance, std::int64_t iteration_limit) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> c(n), r(n), w(n), v(n), u(n);
  const auto spmv = [&](const std::vector<double>& in, std::vector<double>& out) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = 0;
      for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        out[i] += a.values[k] * in[a.column_indices[k]];
        if (a.column_indices[k] == static_cast<std::int32_t>(i)) c[i] = 1 / std::sqrt(a.values[k]);
      }
    }
  };
  const auto dot = [](const std::vector<double>& p, const std::vector<double>& q) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * q[i];
    return sum;
  };
  spmv(x, r);                                              // 1
  for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - r[i];  // 2
  for (std::size_t i = 0; i < n; ++i) w[i] = c[i] * r[i];  // 3
  for (std::size_t i = 0; i < n; ++i) v[i] = c[i] * w[i];  // 4
  double alpha = dot(w, w);                                // 5, 8
  double norm = std::sqrt(dot(v, v));                      // 6, 9
  std::int64_t k = 0;
  for (; k < iteration_limit && !(norm < tolerance);) {      // 10
    spmv(v, u);                                              // 14
    const double t = alpha / dot(u, v);                      // 15, 16
    for (std::size_t i = 0; i < n; ++i) x[i] += t * v[i];    // 17
    for (std::size_t i = 0; i < n; ++i) r[i] -= t * u[i];    // 18
    for (std::size_t i = 0; i < n; ++i) w[i] = c[i] * r[i];  // 19
    const double beta = dot(w, w);                           // 20, 21
    const double s = beta / alpha;                           // 22
    alpha = beta;
    ++k;
    if (beta < tolerance && dot(r, r) < tolerance) break;               // 23 to 26
    for (std::size_t i = 0; i < n; ++i) v[i] = c[i] * w[i] + s * v[i];  // 27
    norm = std::sqrt(dot(v, v));                                        // 28, 30
  }
  return {x, k};
}

TEST(Solve, StopsByTheAbsoluteRuleWhereAlgorithm1AsPrintedDoes) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    for (const double tolerance : {1e-1, 1e-5, 1e-10}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", TOL " + std::to_string(tolerance));
      const CsrMatrix<double> matrix = random_spd(120, 6, 3, seed);
      const auto b = random_vector<double>(matrix.rows, seed + 10);
      const Printed printed =
          algorithm1(matrix, b, std::vector<double>(b.size(), 0), tolerance, 1000);
      std::vector<double> x(b.size(), 0);
      const SolveResult result =
          solve_on(matrix, b, x, {StopRule::Kind::absolute, tolerance, 1000});
      EXPECT_EQ(result.outcome, Outcome::converged);
      EXPECT_EQ(result.iterations, printed.iterations);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], printed.x[i], 1e-10);
    }
  }
}

TEST(Solve, GoesOnAfterTheAbsoluteRuleIfOnlyTheStartHasASmallResidual) {
  // r.r < TOL at the start, but sqrt(v.v) is not: Algorithm 1 looks at r.r in the loop only.
  const auto matrix = small_matrix<double>({{0.01, 0}, {0, 0.02}});
  const std::vector<double> b{0.01, 0.01};
  std::vector<double> x{0, 0};
  const Printed printed = algorithm1(matrix, b, x, 1e-3, 10);
  const SolveResult result = solve_on(matrix, b, x, {StopRule::Kind::absolute, 1e-3, 10});
  EXPECT_EQ(result.iterations, printed.iterations);
  EXPECT_EQ(result.iterations, 1);
}

TEST_P(SolveTest, RunsExactlyAsManyIterationsAsAsked) {
  const CsrMatrix<double> matrix = random_spd(100, 6, 2, 3);
  const auto b = random_vector<double>(matrix.rows, 4);
  std::vector<double> x(b.size(), 0);
  const SolveResult result = solve_on(matrix, b, x, {StopRule::Kind::fixed_iterations, 0, 60});
  EXPECT_EQ(result.outcome, Outcome::iteration_limit);
  EXPECT_EQ(result.iterations, 60);
  EXPECT_GT(result.iteration_seconds, 0);
  EXPECT_EQ(result.brief().find("allow more"), std::string::npos);
}

TEST_P(SolveTest, EndsAFixedNumberOfIterationsEarlyWhenNothingIsLeft) {
  // One iteration solves it exactly; the next would divide 0 by 0.
  const auto matrix = small_matrix<double>({{4, 0}, {0, 4}});
  const std::vector<double> b{8, 4};
  std::vector<double> x{0, 0};
  const SolveResult result = solve_on(matrix, b, x, {StopRule::Kind::fixed_iterations, 0, 100});
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.residual_norm, 0);
  EXPECT_EQ(x, (std::vector<double>{2, 1}));
}

TEST_P(SolveTest, NeedsNoIterationFromAnExactStartEvenIfAFixedNumberIsAsked) {
  const auto matrix = small_matrix<double>({{4, 0}, {0, 4}});
  std::vector<double> x{2, 1};
  const SolveResult result = solve_on(matrix, {8, 4}, x, {StopRule::Kind::fixed_iterations, 0, 9});
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, (std::vector<double>{2, 1}));
}

TEST_P(SolveTest, TakesAnUnderflowInFloatForTheEndAndNotForAnIndefiniteMatrix) {
  const CsrMatrix<double> matrix = random_spd(50, 4, 0, 5);
  const CsrMatrix<float> single = convert_values<float>(matrix.view());
  const auto b = random_vector<float>(matrix.rows, 6);
  std::vector<float> x(b.size(), 0);
  const SolveResult result = solve_on(single, b, x, {StopRule::Kind::fixed_iterations, 0, 5000});
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LT(result.iterations, 5000);
  EXPECT_LT(result.residual_norm, 1e-5 * result.right_hand_side_norm);
}

TEST_P(SolveTest, StopsAtTheIterationLimit) {
  const auto matrix = line<double>(200);
  const auto b = random_vector<double>(200, 9);
  std::vector<double> x(b.size(), 0);
  const SolveResult result = solve_on(matrix, b, x, {.tolerance = 1e-10, .max_iterations = 5});
  EXPECT_EQ(result.outcome, Outcome::iteration_limit);
  EXPECT_EQ(result.iterations, 5);
  EXPECT_NE(result.brief().find("allow more iterations"), std::string::npos) << result.brief();
}

TEST(Solve, TellsHowFarItIsAndGivesTheSameResult) {
  const auto matrix = line<double>(400);
  const auto b = random_vector<double>(400, 19);
  std::vector<double> expected(b.size(), 0);
  const SolveResult quiet = solve_on(matrix, b, expected, {});
  std::vector<double> x(b.size(), 0);
  std::int64_t calls = 0;
  double last_fraction = 0;
  std::int64_t last_iterations = 0;
  const SolveOptions options{
      .layout = {}, .stop = {}, .schedule = {}, .keep_going = [&](const SolveProgress& progress) {
        ++calls;
        EXPECT_GT(progress.iterations, last_iterations);
        EXPECT_GE(progress.fraction, last_fraction);
        EXPECT_LE(progress.fraction, 1);
        last_iterations = progress.iterations;
        last_fraction = progress.fraction;
        return true;
      }};
  CpuBackend backend(1, 1);
  const SolveResult told = solve(backend, matrix.view(), b, x, options);
  EXPECT_EQ(told.outcome, Outcome::converged);
  EXPECT_EQ(told.iterations, quiet.iterations);
  EXPECT_EQ(x, expected);
  EXPECT_GT(calls, 1);
}

TEST(Solve, SaysHowFarItIsOnTheWayToItsLimitWhereNoResidualIsSmallEnough) {
  const auto matrix = line<double>(400);
  const auto b = random_vector<double>(400, 23);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1);
  std::vector<double> fractions;
  const SolveOptions options{.layout = {},
                             .stop = {.tolerance = 0, .max_iterations = 100},
                             .schedule = {},
                             .keep_going = [&](const SolveProgress& progress) {
                               fractions.push_back(progress.fraction);
                               return true;
                             }};
  solve(backend, matrix.view(), b, x, options);
  ASSERT_FALSE(fractions.empty());
  EXPECT_DOUBLE_EQ(fractions.front(), 0.16);
}

TEST(Solve, EndsWhenItIsToldNotToGoOn) {
  const auto matrix = line<double>(400);
  const auto b = random_vector<double>(400, 19);
  std::vector<double> x(b.size(), 0);
  CpuBackend backend(1, 1);
  const SolveOptions options{
      .layout = {}, .stop = {}, .schedule = {}, .keep_going = [](const SolveProgress&) {
        return false;
      }};
  const SolveResult result = solve(backend, matrix.view(), b, x, options);
  EXPECT_EQ(result.outcome, Outcome::iteration_limit);
  EXPECT_LT(result.iterations, 100);
  EXPECT_EQ(result.outcome_name(), "interrupted");
  EXPECT_TRUE(result.brief().starts_with("interrupted after ")) << result.brief();
}

TEST_P(SolveTest, StartsFromTheGivenVector) {
  const CsrMatrix<double> matrix = random_spd(80, 6, 2, 11);
  const auto b = random_vector<double>(matrix.rows, 12);
  std::vector<double> x(b.size(), 0);
  solve_on(matrix, b, x, {.tolerance = 1e-12});
  const SolveResult again = solve_on(matrix, b, x, {.tolerance = 1e-10});
  EXPECT_EQ(again.outcome, Outcome::converged);
  EXPECT_EQ(again.iterations, 0);
}

TEST_P(SolveTest, AnswersZeroForARightHandSideOfZero) {
  const CsrMatrix<double> matrix = random_spd(20, 4, 1, 13);
  std::vector<double> x = random_vector<double>(20, 14);
  const SolveResult result = solve_on(matrix, std::vector<double>(20, 0), x, {});
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(20, 0));
}

TEST_P(SolveTest, HandlesOneUnknownAndNone) {
  std::vector<double> x{0};
  const SolveResult one = solve_on(small_matrix<double>({{4}}), {2}, x, {});
  EXPECT_EQ(one.outcome, Outcome::converged);
  EXPECT_EQ(x[0], 0.5);
  std::vector<double> nothing;
  const SolveResult none = solve_on(small_matrix<double>({}), {}, nothing, {});
  EXPECT_EQ(none.outcome, Outcome::converged);
  EXPECT_EQ(none.iterations, 0);
}

TEST_P(SolveTest, CallsAnIndefiniteMatrixNotPositiveDefinite) {
  const auto matrix = small_matrix<double>({{1, 2}, {2, 1}});
  std::vector<double> x{0, 0};
  const SolveResult result = solve_on(matrix, {1, -1}, x, {});
  EXPECT_EQ(result.outcome, Outcome::not_positive_definite);
  EXPECT_NE(result.brief().find("positive definite"), std::string::npos);
}

TEST_P(SolveTest, CallsASemidefiniteMatrixNotPositiveDefinite) {
  const auto matrix = small_matrix<double>({{1, -1}, {-1, 1}});
  std::vector<double> x{0, 0};
  EXPECT_EQ(solve_on(matrix, {1, 1}, x, {}).outcome, Outcome::not_positive_definite);
}

TEST_P(SolveTest, RefusesADiagonalThatIsZeroMissingOrNegativeBeforeIterating) {
  CsrMatrix<double> zero = small_matrix<double>({{1, 2}, {2, 5}});
  zero.values[3] = 0;
  for (const auto& matrix :
       {zero, small_matrix<double>({{1, 2}, {2, 0}}), small_matrix<double>({{1, 2}, {2, -1}})}) {
    std::vector<double> x{0.5, 0.25};
    const SolveResult result = solve_on(matrix, {1, 1}, x, {});
    EXPECT_EQ(result.outcome, Outcome::nonpositive_diagonal);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(x, (std::vector<double>{0.5, 0.25}));
    EXPECT_NE(result.brief().find("diagonal"), std::string::npos);
  }
}

TEST_P(SolveTest, CallsNanAndInfinityNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto good = small_matrix<double>({{2, 1}, {1, 2}});
  auto bad = good;
  bad.values[1] = nan;
  std::vector<double> x{0, 0};
  EXPECT_EQ(solve_on(bad, {1, 1}, x, {}).outcome, Outcome::not_finite);
  EXPECT_EQ(solve_on(good, {1, infinity}, x, {}).outcome, Outcome::not_finite);
  std::vector<double> start{nan, 0};
  EXPECT_EQ(solve_on(good, {1, 1}, start, {}).outcome, Outcome::not_finite);
}

TEST_P(SolveTest, CallsAnOverflowNotFiniteAndKeepsAFiniteSolution) {
  const auto matrix = small_matrix<double>({{2e200, 1e200}, {1e200, 2e200}});
  std::vector<double> x{0.5, -0.5};
  const SolveResult result = solve_on(matrix, {1e200, 1e200}, x, {});
  EXPECT_EQ(result.outcome, Outcome::not_finite);
  EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(x[1]));
}

TEST_P(SolveTest, ReportsTheTrueResidualWhenFloatCannotReachTheTolerance) {
  const auto matrix = line<float>(500);
  const auto b = random_vector<float>(500, 15);
  std::vector<float> x(b.size(), 0);
  const SolveResult result = solve_on(matrix, b, x, {.tolerance = 1e-12});
  EXPECT_EQ(result.outcome, Outcome::stagnated);
  EXPECT_GT(result.residual_norm, 1e-9 * result.right_hand_side_norm);
  double residual = 0;
  for (std::int64_t i = 0; i < 500; ++i) {
    double value = b[i];
    for (auto k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      value -= static_cast<double>(matrix.values[k]) * x[matrix.column_indices[k]];
    }
    residual += value * value;
  }
  EXPECT_NEAR(result.residual_norm, std::sqrt(residual), 1e-9 * std::sqrt(residual));
  EXPECT_NE(result.brief().find("use f64"), std::string::npos);
}

TEST_P(SolveTest, StagnatesOnASystemWithoutSolution) {
  // Singular, and b has a part along (1, ..., 1), which no A x has: the residual keeps it.
  CsrMatrix<double> matrix = line<double>(30);
  matrix.values.front() = matrix.values.back() = 1;
  const auto b = random_vector<double>(30, 16);
  std::vector<double> x(b.size(), 0);
  const SolveResult result =
      solve_on(matrix, b, x, {.tolerance = 1e-8, .max_iterations = 1'000'000});
  EXPECT_TRUE(result.outcome == Outcome::stagnated ||
              result.outcome == Outcome::not_positive_definite)
      << result.brief();
  EXPECT_LT(result.iterations, 10'000);
}

TEST(Solve, RefusesShapesThatDoNotFit) {
  const auto message_of = [](const CsrMatrix<double>& matrix, std::size_t b, std::size_t x_size,
                             const StopRule& stop) {
    std::vector<double> x(x_size);
    try {
      solve_on(matrix, std::vector<double>(b, 1), x, stop);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto square = small_matrix<double>({{2, 1}, {1, 2}});
  auto wide = square;
  wide.columns = 3;
  EXPECT_EQ(message_of(wide, 2, 2, {}),
            "a matrix of 2 rows and 3 columns; a solve needs a square one");
  EXPECT_EQ(message_of(square, 3, 2, {}),
            "a system of 2 rows with a right-hand side of 3 and a solution of 2 values");
  EXPECT_NE(message_of(square, 2, 1, {}), "");
  EXPECT_NE(message_of(square, 2, 2, {.tolerance = -1}), "");
  EXPECT_NE(message_of(square, 2, 2, {.max_iterations = -1}), "");
}

TEST(Solve, RefusesTheAbsoluteRuleWithTheFusedScheduleAndUnknownSchedules) {
  const auto matrix = small_matrix<double>({{2, 1}, {1, 2}});
  const auto message_of = [&](const StopRule& stop, const std::string& schedule) {
    std::vector<double> x{0, 0};
    try {
      solve_on(matrix, {1, 1}, x, stop, 1, 1, schedule);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of({StopRule::Kind::absolute, 1e-3, 10}, "fused"),
            "the absolute stopping rule is Algorithm 1's own; use schedule algorithm1, or the "
            "relative rule");
  for (const std::string name : {"gmres", "vendor"}) {
    EXPECT_EQ(message_of({}, name),
              "no solve by schedule '" + name + "'; expected fused or algorithm1");
  }
}

TEST(ThreadedSolve, GivesTheSameSolutionOnAnyNumberOfDevices) {
  const CsrMatrix<double> matrix = random_spd(300, 8, 4, 17);
  const auto b = random_vector<double>(matrix.rows, 18);
  std::vector<double> expected(b.size(), 0);
  const SolveResult one = solve_on(matrix, b, expected, {.tolerance = 1e-12});
  for (const int devices : {1, 2, 3}) {
    for (const int threads : {1, 2}) {
      std::vector<double> x(b.size(), 0);
      const SolveResult result = solve_on(matrix, b, x, {.tolerance = 1e-12}, devices, threads);
      EXPECT_EQ(result.outcome, Outcome::converged);
      EXPECT_EQ(result.iterations, one.iterations);
      EXPECT_EQ(result.bytes_per_device.size(), static_cast<std::size_t>(devices));
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(x[i], expected[i], 1e-9 * std::abs(expected[i]) + 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
