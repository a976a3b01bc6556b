#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/block_product.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/engine/own_solver.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/engine/solve_method.hpp"
#include "core/engine/solve_parts.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/method/preconditioner.hpp"

namespace sparsecast {
namespace {

/// So many devices of two threads each, however little there is to do.
CpuBackend eager_cpu(int devices) {
  CpuPolicy policy;
  policy.values_per_thread = 1;
  return CpuBackend(devices, 2, policy);
}

constexpr std::array<std::int64_t, 3> sizes{1, 41, 2003};

TEST(BlockJacobi, MultipliesByBlocksOfAnySizeOnOneAndSeveralDevices) {
  for (const int devices : {1, 2, 3}) {
    SCOPED_TRACE(devices);
    CpuBackend backend = eager_cpu(devices);
    expect_block_products<double>(backend, sizes);
    expect_block_products<float>(backend, sizes);
  }
}

SolveResult solved(Backend& backend, const std::string& solver, const Preconditioner& by,
                   const CsrMatrix<double>& matrix, std::vector<double>* solution = nullptr) {
  std::mt19937 random(5);
  std::vector<double> b;
  for (std::int64_t i = 0; i < matrix.rows; ++i) b.push_back(random_value(random));
  std::vector<double> x(b.size(), 0);
  SolveOptions options;
  options.stop.tolerance = 1e-9;
  const SolveResult result = solve_by_method<double>(
      backend, with_preconditioner(shipped_method(solver), by), {}, matrix.view(), b, x, options);
  if (solution != nullptr) *solution = x;
  return result;
}

TEST(BlockJacobi, OfOneRowIsJacobi) {
  CpuBackend backend = eager_cpu(1);
  const CsrMatrix<double> matrix = fem_elasticity(1, 4, 3);
  std::vector<double> jacobi;
  std::vector<double> blocks;
  const SolveResult of_jacobi = solved(backend, "cg", Preconditioner::jacobi, matrix, &jacobi);
  const SolveResult of_blocks =
      solved(backend, "cg", Preconditioner::block_jacobi(1), matrix, &blocks);
  EXPECT_EQ(of_jacobi.outcome, Outcome::converged);
  EXPECT_EQ(of_blocks.outcome, Outcome::converged);
  EXPECT_NEAR(static_cast<double>(of_blocks.iterations), static_cast<double>(of_jacobi.iterations),
              1);
  for (std::size_t i = 0; i < jacobi.size(); ++i) EXPECT_NEAR(blocks[i], jacobi[i], 1e-6);
}

TEST(BlockJacobi, TakesNoMoreIterationsThanJacobiWhereUnknownsComeInBlocks) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 6, 3);
  for (const int devices : {1, 2}) {
    CpuBackend backend = eager_cpu(devices);
    const SolveResult jacobi = solved(backend, "cg", Preconditioner::jacobi, matrix);
    const SolveResult blocks = solved(backend, "cg", Preconditioner::block_jacobi(3), matrix);
    EXPECT_EQ(blocks.outcome, Outcome::converged);
    EXPECT_LE(blocks.iterations, jacobi.iterations) << devices;
  }
}

TEST(BlockJacobi, SolvesInSinglePrecisionAndWithRowsLeft) {
  const CsrMatrix<float> matrix = convert_values<float>(dominant_matrix(157).view());
  std::vector<float> b(157, 1);
  for (int rows = 1; rows <= largest_diagonal_block; ++rows) {
    std::vector<float> x(b.size(), 0);
    CpuBackend backend = eager_cpu(2);
    SolveOptions options;
    options.stop.tolerance = 1e-5;
    const SolveResult result = solve_by_method<float>(
        backend,
        with_preconditioner(shipped_method("bicgstab"), Preconditioner::block_jacobi(rows)), {},
        matrix.view(), b, x, options);
    EXPECT_EQ(result.outcome, Outcome::converged) << rows;
    EXPECT_LE(result.residual_norm, 2e-5 * result.right_hand_side_norm) << rows;
  }
}

TEST(BlockJacobi, NeedsNoDiagonalAndRefusesBlocksThatAreSingular) {
  // Rows 0 and 1 exchange two unknowns; rows 2 and 3 are the same in their block.
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 4;
  matrix.row_offsets = {0, 1, 2, 4, 6};
  matrix.column_indices = {1, 0, 2, 3, 2, 3};
  matrix.values = {2, 3, 1, 2, 2, 5};
  CpuBackend backend = eager_cpu(1);
  std::vector<double> x;
  const SolveResult result =
      solved(backend, "bicgstab", Preconditioner::block_jacobi(2), matrix, &x);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(solved(backend, "bicgstab", Preconditioner::jacobi, matrix).outcome,
            Outcome::nonpositive_diagonal);
  // What is not positive definite is found as with Jacobi.
  EXPECT_EQ(solved(backend, "cg", Preconditioner::block_jacobi(2), matrix).outcome,
            Outcome::nonpositive_diagonal);
  matrix.values[5] = 4;
  EXPECT_EQ(
      refusal_of([&] { solved(backend, "bicgstab", Preconditioner::block_jacobi(2), matrix); }),
      "block Jacobi: the 2 x 2 diagonal block of rows 3 to 4 (block 2) is singular; take another "
      "block size or another preconditioner");
}

TEST(BlockJacobi, MovesAndKeepsWhatItsScheduleSays) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 3, 3);
  const Solver jacobi = OwnSolver(shipped_method("cg"), {}).for_matrix(matrix.view());
  const Solver blocks =
      OwnSolver(with_preconditioner(shipped_method("cg"), Preconditioner::block_jacobi(3)), {})
          .for_matrix(matrix.view());
  CpuBackend backend(1, 1);
  const auto bytes_of = [&](const Solver& solver) {
    return backend.prepare(solver.schedule, matrix.view(), Layout{})->bytes_per_device().front();
  };
  // Two vectors more, with what each is padded by.
  const auto vector = static_cast<std::int64_t>(sizeof(double)) * matrix.rows;
  EXPECT_GE(bytes_of(blocks) - bytes_of(jacobi), 2 * vector);
  EXPECT_LE(bytes_of(blocks) - bytes_of(jacobi), 2 * (vector + 1024));

  const auto prepared = backend.prepare(blocks.schedule, matrix.view(), Layout{});
  std::vector<double> ones(static_cast<std::size_t>(matrix.rows), 1);
  prepared->set_vector("b", ones);
  SolveResult result;
  set_inverse_blocks(*prepared, blocks.slots, matrix.view(), result);
  prepared->run_setup();
  const double before = prepared->counters().bytes.total();
  ASSERT_EQ(prepared->run(3).iterations, 3);
  double expected = 0;
  for (const Step& step : blocks.schedule.iteration) {
    if (step.kind != StepKind::kernel) continue;
    expected += bytes_moved(step, prepared->segments().front(), Precision::f64).total();
  }
  EXPECT_EQ(prepared->counters().bytes.total() - before, 3 * expected);
}

TEST(BlockJacobi, IsTimedWithBlocksThatDoNotLetItConverge) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 3, 3);
  for (const char* name : {"cg", "bicgstab", "gmres"}) {
    const Solver solver =
        OwnSolver(with_preconditioner(shipped_method(name), Preconditioner::block_jacobi(3)), {})
            .for_matrix(matrix.view());
    CpuBackend backend(1, 1);
    const auto prepared = backend.prepare(solver.schedule, matrix.view(), Layout{});
    EXPECT_TRUE(can_iterate(*prepared, solver.slots, matrix.view(), 40)) << name;
  }
}

}  // namespace
}  // namespace sparsecast
