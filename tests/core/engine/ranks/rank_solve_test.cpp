#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/cpu_layouts.hpp"
#include "core/engine/ranks/rank_solve.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/schedule/method/preconditioner.hpp"

namespace sparsecast {
namespace {

class RanksSolve : public testing::TestWithParam<std::string> {};

TEST_P(RanksSolve, AsOneProcessDoesAndToTheSameBitsTwice) {
  RankSolve what{.matrix = matrix_for_schedule(GetParam()), .method = &shipped_method(GetParam())};
  const Solved alone = solve_alone<double>(what);
  EXPECT_EQ(alone.result.outcome, Outcome::converged);
  for (const int size : {2, 3}) {
    SCOPED_TRACE(std::to_string(size) + " ranks");
    const Solved together = solve_by_ranks<double>(what, size);
    expect_alike(together, alone, 1e-7);
    EXPECT_EQ(solve_by_ranks<double>(what, size).x, together.x);
  }
}

TEST_P(RanksSolve, InSinglePrecision) {
  const RankSolve what{.matrix = matrix_for_schedule(GetParam()),
                       .method = &shipped_method(GetParam()),
                       .stop = {.tolerance = 1e-4, .max_iterations = 5000}};
  const Solved together = solve_by_ranks<float>(what, 2);
  EXPECT_EQ(together.result.outcome, Outcome::converged);
  EXPECT_LE(together.result.residual_norm, 2e-4 * together.result.right_hand_side_norm);
}

INSTANTIATE_TEST_SUITE_P(All, RanksSolve, testing::ValuesIn(shipped_names()), [](const auto& name) {
  std::string text = name.param;
  std::ranges::replace(text, '-', '_');
  return text;
});

TEST(RanksSolveBy, OurConjugateGradientsByAllRulesAndSchedules) {
  RankSolve what{.matrix = laplacian(5, 20, 17)};
  for (const StopRule::Kind kind : {StopRule::Kind::relative, StopRule::Kind::preconditioned,
                                    StopRule::Kind::absolute, StopRule::Kind::fixed_iterations}) {
    SCOPED_TRACE(static_cast<int>(kind));
    what.stop.kind = kind;
    what.stop.max_iterations = kind == StopRule::Kind::fixed_iterations ? 12 : 1000;
    const Solved alone = solve_alone<double>(what);
    for (const int size : {2, 5}) expect_alike(solve_by_ranks<double>(what, size), alone, 1e-6);
  }
}

TEST(RanksSolveBy, StartValuesWhoseHalosNobodyHasGiven) {
  for (const char* solver : {"cg", "bicgstab", "gmres"}) {
    SCOPED_TRACE(solver);
    RankSolve what{.matrix = matrix_for_schedule(solver), .method = &shipped_method(solver)};
    what.from_zero = false;
    what.stop.kind = StopRule::Kind::fixed_iterations;
    what.stop.max_iterations = 3;  // far from the solution, which all starts have
    expect_alike(solve_by_ranks<double>(what, 3), solve_alone<double>(what), 1e-9);
  }
}

TEST(RanksSolveBy, EveryLayout) {
  // Not symmetric, and a transpose among the products.
  RankSolve what{.matrix = dominant_matrix(150), .method = &shipped_method("bicg")};
  const Solved alone = solve_alone<double>(what);
  for (const Layout& layout : cpu_layouts()) {
    what.layout = layout;
    SCOPED_TRACE(to_string(layout));
    expect_alike(solve_by_ranks<double>(what, 3), alone, 1e-7);
  }
}

TEST(RanksSolveBy, BlockJacobi) {
  const Method method =
      with_preconditioner(shipped_method("bicgstab"), Preconditioner::block_jacobi(7));
  RankSolve what{.matrix = dominant_matrix(150), .method = &method};
  const Solved alone = solve_alone<double>(what);
  for (const char* layout : {"csr", "bcsr2"}) {
    what.layout = parse_layout(layout);
    for (const int size : {2, 3, 30}) {
      SCOPED_TRACE(std::to_string(size) + " ranks, " + layout);
      expect_alike(solve_by_ranks<double>(what, size), alone, 1e-7);
    }
  }
}

TEST(RanksSolveBy, SeveralThreadsEach) {
  for (const char* solver : {"cg", "bicgstab", "gmres"}) {
    SCOPED_TRACE(solver);
    RankSolve what{.matrix = matrix_for_schedule(solver), .method = &shipped_method(solver)};
    const Solved alone = solve_alone<double>(what);
    what.threads = 2;
    expect_alike(solve_by_ranks<double>(what, 2), alone, 1e-7);
  }
}

TEST(RanksSolveBy, MoreRanksThanRows) {
  RankSolve what{.matrix = laplacian(5, 3, 1)};
  const Solved alone = solve_alone<double>(what);
  for (const Layout& layout : cpu_layouts()) {
    what.layout = layout;
    SCOPED_TRACE(to_string(layout));
    expect_alike(solve_by_ranks<double>(what, 5), alone, 1e-9);
  }
}

TEST(RanksSolveBy, SayThatADiagonalIsNotPositiveWhoeverHasIt) {
  RankSolve what{.matrix = laplacian(5, 8, 8)};
  for (std::int64_t k = what.matrix.row_offsets[60]; k < what.matrix.row_offsets[61]; ++k) {
    if (what.matrix.column_indices[k] == 60) what.matrix.values[k] = -1;
  }
  EXPECT_EQ(solve_by_ranks<double>(what, 3).result.outcome, Outcome::nonpositive_diagonal);
  what.method = &shipped_method("cg");
  EXPECT_EQ(solve_by_ranks<double>(what, 3).result.outcome,
            solve_alone<double>(what).result.outcome);
}

}  // namespace
}  // namespace sparsecast
