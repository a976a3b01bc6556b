#include "core/engine/reference_run.hpp"

#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <unsupported/Eigen/IterativeSolvers>

#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/gershgorin.hpp"
#include "core/random_spd.hpp"
#include "core/refusal.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/method_json.hpp"

namespace sparsecast {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

constexpr std::int64_t rows = 300;

SparseMatrix eigen_matrix(const CsrMatrix<double>& matrix) {
  SparseMatrix result(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      result.insert(row, matrix.column_indices[e]) = matrix.values[e];
    }
  }
  result.makeCompressed();
  return result;
}

/// The same pattern, not symmetric, with a dominant diagonal.
CsrMatrix<double> random_nonsymmetric(unsigned seed) {
  CsrMatrix<double> matrix = random_spd(rows, 6, 0, seed);
  std::mt19937 random(seed);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      if (matrix.column_indices[e] != row) matrix.values[e] = random_value(random) / 1.5;
    }
  }
  return matrix;
}

/// A x = b with a known x, and a start value that is not 0.
struct System {
  explicit System(CsrMatrix<double> a, unsigned seed = 5)
      : matrix(std::move(a)), eigen(eigen_matrix(matrix)) {
    x = random_vector<double>(matrix.rows, seed);
    start = random_vector<double>(matrix.rows, seed + 1);
    const Vector product = eigen * Eigen::Map<const Vector>(x.data(), matrix.rows);
    b.assign(product.begin(), product.end());
  }
  Vector right_hand_side() const { return Eigen::Map<const Vector>(b.data(), matrix.rows); }
  Vector start_value() const { return Eigen::Map<const Vector>(start.data(), matrix.rows); }
  double residual(const std::vector<double>& solution) const {
    return (right_hand_side() - eigen * Eigen::Map<const Vector>(solution.data(), matrix.rows))
               .norm() /
           right_hand_side().norm();
  }

  CsrMatrix<double> matrix;
  SparseMatrix eigen;
  std::vector<double> x;
  std::vector<double> start;
  std::vector<double> b;
};

ReferenceResult run(const std::string& name, const System& system, double tolerance = 1e-10,
                    std::int64_t most_iterations = 20'000) {
  return reference_run(shipped_method(name), system.matrix.view(), system.b, system.start,
                       {{}, tolerance, most_iterations});
}

void expect_solved(const ReferenceResult& result, const System& system, double tolerance = 1e-8) {
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LT(system.residual(result.x), tolerance);
  for (std::size_t i = 0; i < system.x.size(); ++i) {
    ASSERT_NEAR(result.x[i], system.x[i], 1e-5) << i;
  }
  // Of a schedule with a role for them.
  if (result.residual_norms.empty()) return;
  EXPECT_EQ(result.residual_norms.size(), static_cast<std::size_t>(result.iterations) + 1);
}

/// Eigen's solver from the same start to the same tolerance.
template <class Solver>
Eigen::Index peer_iterations(const System& system, double tolerance = 1e-10) {
  Solver solver(system.eigen);
  solver.setTolerance(tolerance);
  solver.setMaxIterations(20'000);
  const Vector x = solver.solveWithGuess(system.right_hand_side(), system.start_value());
  EXPECT_EQ(solver.info(), Eigen::Success);
  return solver.iterations();
}

template <class Preconditioner>
using EigenCg = Eigen::ConjugateGradient<SparseMatrix, Eigen::Lower | Eigen::Upper, Preconditioner>;
using Jacobi = Eigen::DiagonalPreconditioner<double>;
using Plain = Eigen::IdentityPreconditioner;

TEST(ReferenceRun, SolvesPositiveDefiniteSystemsAsEigensCgDoes) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const System hard(random_spd(rows, 6, 2, seed));
    const ReferenceResult jacobi = run("cg", hard);
    expect_solved(jacobi, hard, 1e-9);
    EXPECT_LE(std::abs(jacobi.iterations - peer_iterations<EigenCg<Jacobi>>(hard)), 1);
    EXPECT_LE(std::abs(run("pipelined-gv", hard).iterations - jacobi.iterations - 1), 2);
    expect_solved(run("pipelined-gv", hard), hard);

    const System easy(random_spd(rows, 6, 0, seed));
    const ReferenceResult plain = run("cg-plain", easy);
    expect_solved(plain, easy, 1e-9);
    EXPECT_LE(std::abs(plain.iterations - peer_iterations<EigenCg<Plain>>(easy)), 1);
  }
}

TEST(ReferenceRun, StopsCncWhereItsTestInTheNormOfTheInverseDiagonalHolds) {
  const double epsilon = 1e-8;
  for (const unsigned seed : {1u, 2u, 3u}) {
    System system(random_spd(rows, 6, 2, seed));
    // The tolerance is relative to the right-hand side, epsilon to the first residual.
    std::ranges::fill(system.start, 0);
    const ReferenceResult result = run("cnc", system, epsilon);
    EXPECT_EQ(result.outcome, Outcome::converged);

    const Vector inverse = system.eigen.diagonal().cwiseInverse();
    Vector x = system.start_value();
    Vector r = system.right_hand_side();
    Vector d = inverse.cwiseProduct(r);
    double delta = r.dot(d);
    const double limit = epsilon * epsilon * delta;
    std::int64_t iterations = 0;
    for (; delta > limit; ++iterations) {
      const Vector q = system.eigen * d;
      const double alpha = delta / d.dot(q);
      x += alpha * d;
      r -= alpha * q;
      const Vector s = inverse.cwiseProduct(r);
      const double before = delta;
      delta = r.dot(s);
      d = s + delta / before * d;
    }
    EXPECT_LE(std::abs(result.iterations - iterations), 1);
    for (std::size_t i = 0; i < system.x.size(); ++i) {
      ASSERT_NEAR(result.x[i], x[static_cast<Eigen::Index>(i)], 1e-5) << i;
    }
  }
}

TEST(ReferenceRun, FollowsCgsResidualsStepByStep) {
  const System system(random_spd(rows, 6, 1, 4));
  const ReferenceResult result = run("cg", system);
  const Vector inverse = system.eigen.diagonal().cwiseInverse();
  Vector r = system.right_hand_side() - system.eigen * system.start_value();
  Vector z = inverse.cwiseProduct(r);
  Vector p = z;
  for (std::size_t i = 0; i < 20; ++i) {
    ASSERT_NEAR(result.residual_norms.at(i), r.norm(), 1e-9 * system.right_hand_side().norm());
    const Vector q = system.eigen * p;
    const double rho = r.dot(z);
    r -= rho / p.dot(q) * q;
    z = inverse.cwiseProduct(r);
    p = z + r.dot(z) / rho * p;
  }
}

TEST(ReferenceRun, SolvesSymmetricSystemsAsEigensMinresDoes) {
  const System definite(random_spd(rows, 6, 0, 7));
  const ReferenceResult result = run("minres", definite);
  expect_solved(result, definite, 1e-9);
  using Minres = Eigen::MINRES<SparseMatrix, Eigen::Lower | Eigen::Upper, Plain>;
  EXPECT_LE(std::abs(result.iterations - peer_iterations<Minres>(definite)), 2);

  CsrMatrix<double> indefinite = random_spd(rows, 6, 0, 8);
  for (std::int64_t row = 0; row < rows; row += 2) {
    for (std::int64_t e = indefinite.row_offsets[row]; e < indefinite.row_offsets[row + 1]; ++e) {
      if (indefinite.column_indices[e] == row) indefinite.values[e] *= -1;
    }
  }
  const System saddle(std::move(indefinite));
  expect_solved(run("minres", saddle), saddle);
}

TEST(ReferenceRun, SolvesNonsymmetricSystemsAsEigensBicgstabDoes) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const System system(random_nonsymmetric(seed));
    const ReferenceResult result = run("bicgstab", system);
    expect_solved(result, system, 1e-9);
    // Eigen leaves after whole iterations alone.
    EXPECT_LE(std::abs(result.iterations - peer_iterations<Eigen::BiCGSTAB<SparseMatrix>>(system)),
              1);
  }
}

TEST(ReferenceRun, BicgstabLeavesAfterHalfAnIteration) {
  // One step along the preconditioned residual solves it: the second half would divide by zero.
  CsrMatrix<double> matrix = random_spd(rows, 0, 2, 6);
  const System system(std::move(matrix));
  const ReferenceResult result = run("bicgstab", system);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_LT(system.residual(result.x), 1e-13);
  EXPECT_NEAR(result.residual_norms.at(1), 0, 1e-10);
}

/// Steps of GMRES without restart until the residual is small, from least squares.
Eigen::Index gmres_steps(const System& system, double limit, Eigen::Index most) {
  const Vector r = system.right_hand_side() - system.eigen * system.start_value();
  Eigen::MatrixXd basis = r.normalized();
  for (Eigen::Index step = 1; step <= most; ++step) {
    const Eigen::MatrixXd products = system.eigen * basis;
    const Vector y = products.colPivHouseholderQr().solve(r);
    if ((r - products * y).norm() <= limit) return step;
    Vector next = products.col(step - 1);
    for (int pass = 0; pass < 2; ++pass) next -= basis * (basis.transpose() * next);
    basis.conservativeResize(Eigen::NoChange, step + 1);
    basis.col(step) = next.normalized();
  }
  return most;
}

TEST(ReferenceRun, FollowsBiconjugateGradientsStepByStep) {
  const System system(random_nonsymmetric(6));
  const ReferenceResult result = run("bicg", system);
  expect_solved(result, system, 1e-9);
  const Vector inverse = system.eigen.diagonal().cwiseInverse();
  Vector r = system.right_hand_side() - system.eigen * system.start_value();
  Vector r_hat = r;
  Vector p = inverse.cwiseProduct(r);
  Vector p_hat = p;
  for (std::size_t i = 0; i < 12; ++i) {
    ASSERT_NEAR(result.residual_norms.at(i), r.norm(), 1e-9 * system.right_hand_side().norm());
    const double rho = r_hat.dot(inverse.cwiseProduct(r));
    const Vector q = system.eigen * p;
    const double alpha = rho / p_hat.dot(q);
    r -= alpha * q;
    r_hat -= alpha * (system.eigen.transpose() * p_hat);
    const double beta = r_hat.dot(inverse.cwiseProduct(r)) / rho;
    p = inverse.cwiseProduct(r) + beta * p;
    p_hat = inverse.cwiseProduct(r_hat) + beta * p_hat;
  }
}

TEST(ReferenceRun, GmresNeedsTheStepsOfLeastSquares) {
  const System system(random_nonsymmetric(4));
  constexpr double tolerance = 1e-6;
  const Eigen::Index steps = gmres_steps(system, tolerance * system.right_hand_side().norm(), rows);
  ASSERT_GT(steps, 5);
  const auto cycles = [&](Eigen::Index m) {
    return reference_run(shipped_method("gmres"), system.matrix.view(), system.b, system.start,
                         {{{"m", static_cast<double>(m)}}, tolerance, 100})
        .iterations;
  };
  EXPECT_EQ(cycles(steps), 1);
  EXPECT_EQ(cycles(steps - 1), 2);
}

TEST(ReferenceRun, GmresSolvesWithRestarts) {
  const System system(random_nonsymmetric(5));
  const ReferenceResult result = reference_run(shipped_method("gmres"), system.matrix.view(),
                                               system.b, system.start, {{{"m", 8}}, 1e-10, 1000});
  expect_solved(result, system, 1e-9);
  EXPECT_GT(result.iterations, 3);
}

CsrMatrix<double> diagonal_matrix(const std::vector<double>& values) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = static_cast<std::int64_t>(values.size());
  matrix.row_offsets.push_back(0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    matrix.column_indices.push_back(static_cast<std::int32_t>(i));
    matrix.values.push_back(values[i]);
    matrix.row_offsets.push_back(static_cast<std::int64_t>(i + 1));
  }
  return matrix;
}

TEST(ReferenceRun, GmresEndsWithAHappyBreakdown) {
  const System system(diagonal_matrix({2, 2, 5, 5, 5, 7}));
  // Three eigenvalues: the third step has the solution, to a tolerance that rounding can reach.
  const ReferenceResult result = run("gmres", system, 1e-14, 3);
  expect_solved(result, system, 1e-13);
  EXPECT_LE(result.iterations, 2);
}

TEST(ReferenceRun, GmresSaysThatASingularMatrixBreaksItDown) {
  System system(diagonal_matrix({0, 0, 0}));
  system.b = {1, 2, 3};
  EXPECT_EQ(run("gmres", system).outcome, Outcome::breakdown);
}

TEST(ReferenceRun, StationaryMethodsConverge) {
  const System system(random_spd(rows, 4, 0, 9));
  for (const char* name : {"steepest-descent", "richardson", "chebyshev"}) {
    SCOPED_TRACE(name);
    const ReferenceResult result = run(name, system);
    expect_solved(result, system, 1e-9);
  }
  EXPECT_LT(run("chebyshev", system).iterations, run("richardson", system).iterations);
}

TEST(ReferenceRun, RichardsonStepsAsItsRecurrenceDoes) {
  const System system(random_spd(rows, 4, 0, 10));
  const double low = std::max(gershgorin_bound(system.matrix.view(), false, false), 0.0);
  const double high = gershgorin_bound(system.matrix.view(), true, false);
  const ReferenceResult result = run("richardson", system, 1e-10, 10);
  EXPECT_EQ(result.outcome, Outcome::iteration_limit);
  EXPECT_EQ(result.iterations, 10);
  Vector x = system.start_value();
  for (int i = 0; i < 10; ++i) {
    x += 2 / (low + high) * (system.right_hand_side() - system.eigen * x);
  }
  for (std::int64_t i = 0; i < rows; ++i) ASSERT_NEAR(result.x[i], x[i], 1e-12);
}

TEST(ReferenceRun, ARightHandSideOfZerosIsSolvedByZeros) {
  System system(random_spd(rows, 6, 0, 11));
  system.b.assign(system.b.size(), 0);
  system.start = system.b;
  for (const std::string& name : shipped_names()) {
    const ReferenceResult result = run(name, system);
    EXPECT_EQ(result.outcome, Outcome::converged) << name;
    EXPECT_EQ(result.iterations, 0) << name;
    EXPECT_EQ(result.x, system.b) << name;
  }
}

TEST(ReferenceRun, AllShippedSchedulesSolveAnIdentity) {
  const System system(diagonal_matrix({1, 1, 1, 1}));
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    expect_solved(run(name, system), system);
  }
}

TEST(ReferenceRun, SaysThatAMatrixIsNotPositiveDefinite) {
  CsrMatrix<double> negative = random_spd(rows, 6, 0, 12);
  for (double& value : negative.values) value *= -1;
  const System system(std::move(negative));
  for (const char* name : {"cg", "cg-plain", "steepest-descent", "pipelined-cg"}) {
    EXPECT_EQ(run(name, system).outcome, Outcome::not_positive_definite) << name;
  }
}

TEST(ReferenceRun, EndsWhereATestedScalarIsNotFinite) {
  System system(random_spd(rows, 6, 0, 13));
  system.b[7] = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& name : shipped_names()) {
    EXPECT_EQ(run(name, system).outcome, Outcome::not_finite) << name;
  }
}

Method tiny_method(const std::string& iteration, const std::string& finish) {
  return read_method(R"json({"schema": 1, "name": "tiny", "parameters": {"n": null},
    "operators": {"A": "matrix", "T": "transpose", "D": "diagonal"},
    "vectors": ["x", "b", "q", "V[3]"], "scalars": ["k", "s"],
    "roles": {"solution": "x", "right_hand_side": "b"},
    "setup": [{"scalar": ["k = 0"]}], "iteration": [{"apply": "q = T*x"}, )json" +
                         iteration + R"json(], "finish": [)json" + finish + "]}",
                     "tiny.json");
}

TEST(ReferenceRun, RunsFinishHoweverItEnds) {
  const System system(random_nonsymmetric(14));
  const Method method =
      tiny_method(R"({"check": ["iteration >= n : breakdown"]})", R"({"vector": ["x = D*x - q"]})");
  const ReferenceResult result =
      reference_run(method, system.matrix.view(), system.b, system.start, {{{"n", 2}}, 1e-10, 10});
  EXPECT_EQ(result.outcome, Outcome::breakdown);
  EXPECT_EQ(result.iterations, 3);
  const Vector expected = system.eigen.diagonal().cwiseProduct(system.start_value()) -
                          system.eigen.transpose() * system.start_value();
  for (std::int64_t i = 0; i < rows; ++i) ASSERT_NEAR(result.x[i], expected[i], 1e-12);
}

TEST(ReferenceRun, RepeatsRiseAndFallAndBreak) {
  const System system(random_nonsymmetric(15));
  const auto last_k = [&](const std::string& repeat) {
    const Method method = tiny_method(repeat, R"({"vector": ["x = k*b"]})");
    return reference_run(method, system.matrix.view(), system.b, system.start,
                         {{{"n", 3}}, 1e-10, 1})
               .x[0] /
           system.b[0];
  };
  EXPECT_NEAR(last_k(R"({"repeat": "i in 0..n", "do": [{"scalar": ["k = 10*k + i"]}]})"), 123,
              1e-9);
  EXPECT_NEAR(last_k(R"({"repeat": "i in n..0 falling", "do": [{"scalar": ["k = 10*k + i"]}]})"),
              3210, 1e-9);
  EXPECT_NEAR(last_k(R"({"repeat": "i in 1..n", "do": [
    {"repeat": "j in 1..9", "do": [{"break": true, "when": "j > i"}, {"scalar": ["k = 10*k + j"]}]}]})"),
              112123, 1e-6);
  EXPECT_EQ(last_k(R"({"repeat": "i in 3..0", "do": [{"scalar": ["k = 7"]}]})"), 0);
}

TEST(ReferenceRun, RefusesWhatItCannotRun) {
  const System system(random_nonsymmetric(16));
  const auto refused = [&](const std::string& iteration, NamedNumbers settings) {
    return refusal_of([&] {
      reference_run(tiny_method(iteration, ""), system.matrix.view(), system.b, system.start,
                    {std::move(settings), 1e-10, 1});
    });
  };
  const std::string fine = R"({"vector": ["V[n] = q"]})";
  EXPECT_EQ(refused(fine, {{"n", 2}}), "accepted");
  EXPECT_EQ(refused(fine, {{"n", 3}}),
            "schedule 'tiny': iteration[1]: index 3 of 'V' is none of 0 to 2");
  EXPECT_EQ(refused(fine, {}), "schedule 'tiny' needs its parameter 'n'; set n=NUMBER");
  EXPECT_EQ(refused(fine, {{"n", 1}, {"nn", 1}}),
            "schedule 'tiny' has no parameter 'nn'; did you mean 'n'?");
  EXPECT_EQ(refused(R"({"repeat": "i in 0..n", "do": []})",
                    {{"n", std::numeric_limits<double>::infinity()}}),
            "schedule 'tiny': iteration[1]: the range of 'i' is not finite");
  EXPECT_EQ(refusal_of([&] {
              reference_run(tiny_method(fine, ""), system.matrix.view(), {}, system.start, {});
            }),
            "schedule 'tiny': expected a square matrix and vectors of its size");
}

TEST(GershgorinBound, EnclosesTheEigenvalues) {
  const System system(random_spd(60, 6, 1, 17));
  const Eigen::MatrixXd dense(system.eigen);
  const Vector values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
  const auto view = system.matrix.view();
  EXPECT_LE(gershgorin_bound(view, false, false), values.minCoeff());
  EXPECT_GE(gershgorin_bound(view, true, false), values.maxCoeff());
  const Vector ends = (dense.cwiseAbs().rowwise().sum().array() / dense.diagonal().array());
  EXPECT_NEAR(gershgorin_bound(view, true, true), ends.maxCoeff(), 1e-12);
  EXPECT_NEAR(gershgorin_bound(view, false, true), 2 - ends.maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace sparsecast
