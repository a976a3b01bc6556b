#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/cpu_layouts.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/engine/solve.hpp"
#include "core/schedule/method/method.hpp"

namespace sparsecast {
namespace {

/// What several ranks solve, and how.
struct RankSolve {
  CsrMatrix<double> matrix;
  const Method* method = nullptr;  ///< nullptr: our conjugate gradients
  Layout layout{};
  StopRule stop{.tolerance = 1e-10, .max_iterations = 5000};
  int threads = 1;
};

/// The solution, and what rank 0 says of it.
struct Solved {
  SolveResult result;
  std::vector<double> x;
};

std::vector<double> right_side(std::int64_t rows) {
  std::mt19937 random(3);
  std::vector<double> b;
  for (std::int64_t i = 0; i < rows; ++i) b.push_back(random_value(random));
  return b;
}

template <class T>
SolveResult solve_alone_or_together(const RankSolve& what, Backend& backend,
                                    const CsrMatrix<double>& matrix, const std::vector<double>& b,
                                    std::vector<double>& x, const RankPart* part) {
  const CsrMatrix<T> converted = convert_values<T>(matrix.view());
  const std::vector<T> right(b.begin(), b.end());
  std::vector<T> solution(x.begin(), x.end());
  SolveOptions options;
  options.layout = what.layout;
  options.stop = what.stop;
  options.part = part;
  const SolveResult result = what.method != nullptr
                                 ? solve_by_method<T>(backend, *what.method, {}, converted.view(),
                                                      right, solution, options)
                                 : solve(backend, converted.view(), std::span<const T>(right),
                                         std::span<T>(solution), options);
  x.assign(solution.begin(), solution.end());
  return result;
}

template <class T>
Solved solve_alone(const RankSolve& what) {
  CpuBackend backend(1, 1);
  Solved solved{{}, std::vector<double>(static_cast<std::size_t>(what.matrix.rows), 0)};
  solved.result = solve_alone_or_together<T>(what, backend, what.matrix,
                                             right_side(what.matrix.rows), solved.x, nullptr);
  return solved;
}

/// Every rank knows some of the entries at first.
Buffer<WholeEntry> known_entries(const CsrMatrix<double>& matrix, const Communicator& ranks) {
  Buffer<WholeEntry> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      if (k % ranks.size() != ranks.rank()) continue;
      entries.push_back({row, matrix.column_indices[k], matrix.values[k]});
    }
  }
  return entries;
}

template <class T>
Solved solve_by_ranks(const RankSolve& what, int size) {
  Solved solved;
  const std::vector<double> whole_b = right_side(what.matrix.rows);
  ThreadRanks::run(size, [&](Communicator& ranks) {
    const RankMatrix mine = distribute(ranks, what.matrix.rows, known_entries(what.matrix, ranks),
                                       {what.layout.block_size, true, 1});
    const RankPart& part = mine.part;
    std::vector<double> b(static_cast<std::size_t>(mine.matrix.rows), 0);
    std::copy_n(whole_b.begin() + part.rows.begin(ranks.rank()), part.own.rows(),
                b.begin() + part.own.begin_row);
    std::vector<double> x(b.size(), 0);
    CpuPolicy eager;
    eager.values_per_thread = 1;
    CpuBackend backend(part, what.threads, eager);
    const SolveResult result = solve_alone_or_together<T>(what, backend, mine.matrix, b, x, &part);
    if (ranks.rank() == 0) solved.result = result;
    gather_in_turn(part, std::span(x).subspan(part.own.begin_row, part.own.rows()),
                   [&](std::span<const double> values) {
                     solved.x.insert(solved.x.end(), values.begin(), values.end());
                   });
  });
  return solved;
}

void expect_alike(const Solved& together, const Solved& alone, double tolerance) {
  EXPECT_EQ(together.result.outcome, alone.result.outcome);
  EXPECT_NEAR(static_cast<double>(together.result.iterations),
              static_cast<double>(alone.result.iterations),
              2 + 0.02 * static_cast<double>(alone.result.iterations));
  EXPECT_NEAR(together.result.right_hand_side_norm, alone.result.right_hand_side_norm, 1e-5);
  ASSERT_EQ(together.x.size(), alone.x.size());
  const double scale = norm(std::span<const double>(alone.x));
  std::vector<double> difference = alone.x;
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= together.x[i];
  EXPECT_LE(norm(std::span<const double>(difference)), tolerance * scale);
}

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
