#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <unsupported/Eigen/IterativeSolvers>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/engine/solve_method.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/convection_diffusion.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_spd.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;
using EigenVector = Eigen::VectorXd;

constexpr double tolerance = 1e-8;
constexpr int restart = 30;

EigenMatrix to_eigen(const CsrMatrix<double>& matrix) {
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries.emplace_back(row, matrix.column_indices[k], matrix.values[k]);
    }
  }
  EigenMatrix result(matrix.rows, matrix.columns);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// Iterations of one of Eigen's solvers.
template <class Solver>
std::int64_t iterations_of(Solver& solver, const EigenVector& b) {
  solver.setTolerance(tolerance);
  solver.setMaxIterations(20 * b.size());
  const EigenVector x = solver.solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  return solver.iterations();
}

/// As we count them.
std::int64_t eigen_iterations(const std::string& name, const EigenMatrix& matrix,
                              const EigenVector& b) {
  if (name == "cg") {
    Eigen::ConjugateGradient<EigenMatrix, Eigen::Lower | Eigen::Upper> solver(matrix);
    return iterations_of(solver, b) + 1;  // it leaves out the one that converges
  }
  if (name == "bicgstab") {
    Eigen::BiCGSTAB<EigenMatrix> solver(matrix);
    return iterations_of(solver, b);
  }
  Eigen::GMRES<EigenMatrix, Eigen::IdentityPreconditioner> solver(matrix);
  solver.set_restart(restart);
  return (iterations_of(solver, b) + restart - 1) / restart;  // cycles
}

struct System {
  std::string name;
  CsrMatrix<double> matrix;
};

/// Our iterations.
std::int64_t iterations(const std::string& solver, const CsrMatrix<double>& matrix,
                        const EigenVector& b) {
  CpuBackend backend(1, 1, {});
  std::vector<double> x(static_cast<std::size_t>(b.size()), 0);
  SolveOptions options;
  options.stop.tolerance = tolerance;
  const NamedNumbers settings = solver == "gmres" ? NamedNumbers{{"m", restart}} : NamedNumbers{};
  const SolveResult result =
      solve_by_method<double>(backend, shipped_method(solver), settings, matrix.view(),
                              std::span(b.data(), x.size()), x, options);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LE(result.residual_norm, 1.1 * tolerance * result.right_hand_side_norm);
  return result.iterations;
}

/// A solver takes, in the median, as many iterations as Eigen's: no fewer and no more than that
/// does for any of ten right-hand sides which differ by up to 1 %.
void expect_convergence(const std::string& solver, const System& system) {
  SCOPED_TRACE(solver + " on " + system.name);
  const EigenMatrix matrix = to_eigen(system.matrix);
  std::mt19937 random(5);
  const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296.0; };
  EigenVector b(system.matrix.rows);
  for (double& value : b) value = 0.5 + uniform();
  std::vector<std::int64_t> ours;
  std::vector<std::int64_t> theirs;
  for (int i = 0; i < 10; ++i) {
    EigenVector perturbed = b;
    for (double& value : perturbed) value *= 0.99 + 0.02 * uniform();
    ours.push_back(iterations(solver, system.matrix, perturbed));
    theirs.push_back(eigen_iterations(solver, matrix, perturbed));
  }
  std::ranges::sort(ours);
  const std::int64_t median = ours[ours.size() / 2];
  EXPECT_GE(median, *std::ranges::min_element(theirs));
  EXPECT_LE(median, *std::ranges::max_element(theirs));
}

System convection(std::int64_t n, std::int64_t nz, double peclet,
                  ConvectionDifferences differences) {
  const bool upwind = differences == ConvectionDifferences::upwind;
  return {std::string(upwind ? "upwind " : "central ") + (nz > 1 ? "3-D " : "2-D ") +
              std::to_string(peclet),
          convection_diffusion(n, n, nz, peclet, differences)};
}

TEST(Convergence, OfConjugateGradientsIsEigens) {
  expect_convergence("cg", {"5-point", laplacian(5, 60, 60)});
  expect_convergence("cg", {"27-point", laplacian(27, 15, 15, 15)});
  expect_convergence("cg", {"random", random_spd(2000, 8, 8, 2)});
}

TEST(Convergence, OfBicgstabIsEigensAtEveryPecletNumber) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  using enum ConvectionDifferences;
  for (const ConvectionDifferences differences : {upwind, central}) {
    for (const double peclet : {1.0, 20.0, 100.0}) {
      expect_convergence("bicgstab", convection(60, 1, peclet, differences));
      expect_convergence("bicgstab", convection(15, 15, peclet, differences));
    }
  }
}

TEST(Convergence, OfGmresIsEigensAtEveryPecletNumber) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  using enum ConvectionDifferences;
  for (const ConvectionDifferences differences : {upwind, central}) {
    for (const double peclet : {1.0, 20.0, 100.0}) {
      expect_convergence("gmres", convection(40, 1, peclet, differences));
      expect_convergence("gmres", convection(12, 12, peclet, differences));
    }
  }
}

/// Variants of conjugate gradients that reorder its recurrences take its iterations, within 1 % or
/// two.
void expect_iterations_of_textbook(const CsrMatrix<double>& matrix) {
  const EigenVector ones = EigenVector::Ones(matrix.rows);
  for (const auto& [variant, textbook] :
       {std::pair("pipelined-cg", "cg-plain"), std::pair("chronopoulos-gear", "cg"),
        std::pair("pipelined-gv", "cg")}) {
    const auto expected = static_cast<double>(iterations(textbook, matrix, ones));
    const auto found = static_cast<double>(iterations(variant, matrix, ones));
    EXPECT_NEAR(found, expected, 2 + 0.01 * expected) << variant;
  }
}

TEST(Convergence, OfPipelinedConjugateGradientsIsTheTextbooks) {
  const CsrMatrix<double> grid = laplacian(5, 100, 100);
  const EigenVector ones = EigenVector::Ones(grid.rows);
  EXPECT_EQ(iterations("cg-plain", grid, ones), 187);  // shared/papers/tables/pipelined_iterations
  EXPECT_EQ(iterations("pipelined-cg", grid, ones), 187);
  expect_iterations_of_textbook(grid);
  expect_iterations_of_textbook(laplacian(27, 20, 20, 20));
}

/// Table pipelined_iterations: the other way to beta, of the same recurrence, took 775 there.
TEST(Convergence, OfPipelinedConjugateGradientsToTheLimitOfRoundingIsNoMoreThanTheTable) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const CsrMatrix<double> grid = laplacian(5, 316, 316);
  const std::vector<double> b(static_cast<std::size_t>(grid.rows), 1);
  const auto run = [&](const char* name) {
    CpuBackend backend(1, 1, {});
    std::vector<double> x(b.size(), 0);
    SolveOptions options;
    options.stop.tolerance = 1e-12;
    return solve_by_method<double>(backend, shipped_method(name), {}, grid.view(), b, x, options);
  };
  const SolveResult textbook = run("cg-plain");
  const SolveResult pipelined = run("pipelined-cg");
  EXPECT_NEAR(static_cast<double>(textbook.iterations), 714, 2 + 7);
  EXPECT_GE(pipelined.iterations, textbook.iterations - 2 - 7);
  EXPECT_LE(pipelined.iterations, 775);
  // The recurrences end there, the true residuals do not.
  EXPECT_TRUE(textbook.residuals_part());
  EXPECT_TRUE(pipelined.residuals_part());
}

/// A triangle whose eigenvalues lie six decades apart, all of its Krylov space in one cycle.
TEST(Convergence, OfGmresToRoundingNeedsGramSchmidtTwice) {
  constexpr int n = 60;
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = n;
  matrix.row_offsets.push_back(0);
  for (int row = 0; row < n; ++row) {
    const double diagonal = std::pow(10.0, 6.0 * row / (n - 1));
    matrix.column_indices.push_back(row);
    matrix.values.push_back(diagonal);
    if (row + 1 < n) {
      matrix.column_indices.push_back(row + 1);
      matrix.values.push_back(0.5 * diagonal);
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.values.size()));
  }
  const std::vector<double> b(n, 1);
  const auto residual = [&](double twice) {
    CpuBackend backend(1, 1, {});
    std::vector<double> x(n, 0);
    SolveOptions options;
    options.stop.kind = StopRule::Kind::fixed_iterations;
    options.stop.max_iterations = 1;
    return solve_by_method<double>(backend, shipped_method("gmres"),
                                   {{"m", n}, {"reorthogonalise", twice}}, matrix.view(), b, x,
                                   options)
        .residual_norm;
  };
  EXPECT_GT(residual(0), 1e-3);
  EXPECT_LT(residual(1), 1e-8);
}

std::filesystem::path real_matrix(const std::string& name) {
  return std::filesystem::path(SPARSECAST_MATRICES) / (name + ".mtx.gz");
}

class RealPipelined : public testing::TestWithParam<const char*> {};

TEST_P(RealPipelined, IsTheTextbooks) {
  const std::filesystem::path path = real_matrix(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path.string() << " is not there";
  expect_iterations_of_textbook(read_matrix_market(path).matrix);
}

/// Where textbook's recurrence needs as many iterations as there are unknowns, the pipelined one
/// fails.
TEST(Convergence, OfPipelinedConjugateGradientsFailsOnAft01WithoutJacobi) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const std::filesystem::path path = real_matrix("aft01");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path.string() << " is not there";
  const CsrMatrix<double> matrix = read_matrix_market(path).matrix;
  const std::vector<double> b(static_cast<std::size_t>(matrix.rows), 1);
  const auto run = [&](const char* name) {
    CpuBackend backend(1, 1, {});
    std::vector<double> x(b.size(), 0);
    SolveOptions options;
    options.stop.max_iterations = 20'000;
    return solve_by_method<double>(backend, shipped_method(name), {}, matrix.view(), b, x, options);
  };
  const SolveResult textbook = run("cg-plain");
  EXPECT_NEAR(static_cast<double>(textbook.iterations), 10'026, 300);
  EXPECT_LT(textbook.residual_norm, 1e-7 * textbook.right_hand_side_norm);
  const SolveResult pipelined = run("pipelined-cg");
  EXPECT_NE(pipelined.outcome, Outcome::converged);
  EXPECT_GT(pipelined.residual_norm, 1e-4 * pipelined.right_hand_side_norm);
}

INSTANTIATE_TEST_SUITE_P(All, RealPipelined,
                         testing::Values("crystm01", "bcsstk16", "wathen100", "Chem97ZtZ"),
                         [](const auto& name) { return std::string(name.param); });

/// A real matrix, as `SPARSECAST_MATRICES` has it.
class RealConvergence : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RealConvergence, IsEigens) {
  const auto [solver, name] = GetParam();
  const std::filesystem::path path = real_matrix(name);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path.string() << " is not there";
  expect_convergence(solver, {name, read_matrix_market(path).matrix});
}

INSTANTIATE_TEST_SUITE_P(
    All, RealConvergence,
    testing::Values(std::pair("cg", "crystm01"), std::pair("cg", "sts4098"),
                    std::pair("cg", "bcsstk16"), std::pair("cg", "wathen100"),
                    std::pair("cg", "Chem97ZtZ"), std::pair("cg", "nos3"),
                    std::pair("bicgstab", "crystm01"), std::pair("bicgstab", "wathen100"),
                    std::pair("bicgstab", "shallow_water1"), std::pair("gmres", "shallow_water1"),
                    std::pair("bicgstab", "bcsstk16")),
    [](const auto& each) { return std::string(each.param.first) + "_" + each.param.second; });

}  // namespace
}  // namespace sparsecast
