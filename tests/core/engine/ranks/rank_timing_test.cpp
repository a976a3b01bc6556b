#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/engine/own_solver.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/engine/solve_method.hpp"
#include "core/schedule/method/preconditioner.hpp"

namespace sparsecast {
namespace {

StopwatchOptions brief() {
  StopwatchOptions options;
  options.max_seconds = 0.01;
  options.min_round_seconds = 1e-4;
  options.max_rounds = 20;
  return options;
}

/// The right-hand side that one process measures with.
std::vector<double> right_side_alone(const OwnSolver& own, const CsrMatrix<double>& matrix) {
  CpuBackend backend(1, 1);
  const Solver solver = own.for_matrix(matrix.view());
  const auto prepared = backend.prepare(solver.schedule, matrix.view(), Layout{});
  measure_iteration(*prepared, solver.slots, matrix.view(), brief());
  std::vector<double> b(static_cast<std::size_t>(matrix.rows));
  prepared->get_vector(solver.slots.right_hand_side, b);
  return b;
}

/// Ranks measure the system of one process, and all of them find the same.
void expect_agreed_timing(const OwnSolver& own, const CsrMatrix<double>& matrix, int size) {
  const std::vector<double> expected = right_side_alone(own, matrix);
  ThreadRanks::run(size, [&](Communicator& ranks) {
    CsrMatrix<double> none;
    const RankMatrix mine =
        distribute_whole(ranks, ranks.rank() == 0 ? matrix.view() : none.view(),
                         part_options(Layout{}, multiplies_by_transpose(own.priced().schedule),
                                      rows_together(own.method()), false));
    EXPECT_EQ(mine.nonzeros, matrix.nonzeros());
    const RankPart& part = mine.part;
    const CsrView<double> view = mine.matrix.view();
    CpuBackend backend(part, 1);
    const Solver solver = own.for_matrix(view, &part);
    const auto prepared = backend.prepare(solver.schedule, view, Layout{});
    const Timing timing = measure_iteration(*prepared, solver.slots, view, brief(), &part);
    EXPECT_GT(timing.median_seconds, 0);
    for (const double theirs : gather(ranks, timing.median_seconds)) {
      EXPECT_EQ(theirs, timing.median_seconds);
    }
    std::vector<double> b(static_cast<std::size_t>(view.rows));
    prepared->get_vector(solver.slots.right_hand_side, b);
    const auto own_b = std::span(b).subspan(part.own.begin_row, part.own.rows());
    const auto first = expected.begin() + part.rows.begin(ranks.rank());
    EXPECT_TRUE(std::equal(own_b.begin(), own_b.end(), first));
  });
}

class RanksMeasure : public testing::TestWithParam<std::string> {};

TEST_P(RanksMeasure, TheSameTimeOfTheSameSystem) {
  expect_agreed_timing(OwnSolver(shipped_method(GetParam()), {}), matrix_for_schedule(GetParam()),
                       3);
}

INSTANTIATE_TEST_SUITE_P(All, RanksMeasure, testing::ValuesIn(shipped_names()),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(RanksMeasureWith, BlocksThatTheyInvertEach) {
  const Method method = with_preconditioner(shipped_method("cg"), Preconditioner::block_jacobi(3));
  expect_agreed_timing(OwnSolver(method, {}), matrix_for_schedule("cg"), 2);
}

TEST(RanksPrepare, WhatOneOfThemCannotInOneWordOnAll) {
  // Rank 1 alone has rows with so many diagonals.
  CsrMatrix<double> matrix;
  constexpr int rows = 6000;
  matrix.rows = matrix.columns = rows;
  matrix.row_offsets = {0};
  for (std::int32_t row = 0; row < rows; ++row) {
    matrix.column_indices.push_back(row < rows / 2 ? row : (row * 37) % rows);
    matrix.values.push_back(1);
    matrix.row_offsets.push_back(row + 1);
  }
  ThreadRanks::run(2, [&](Communicator& ranks) {
    CsrMatrix<double> none;
    const RankMatrix mine =
        distribute_whole(ranks, ranks.rank() == 0 ? matrix.view() : none.view(), {});
    CpuBackend backend(mine.part, 1);
    const OwnSolver own(shipped_method("bicgstab"), {});
    const Schedule& schedule = own.priced().schedule;
    std::string said;
    try {
      backend.prepare(schedule, mine.matrix.view(), {.format = "dia"});
    } catch (const Error& error) {
      said = error.what();
    }
    EXPECT_TRUE(said.starts_with("rank 1: layout dia")) << said;
  });
}

}  // namespace
}  // namespace sparsecast
