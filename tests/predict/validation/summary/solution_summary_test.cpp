#include "predict/validation/summary/solution_summary.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "predict/validation/summary/validation_summary.hpp"
#include "predict/validation/validation_cases.hpp"

namespace sparsecast {
namespace {

/// A solve of 100 iterations of a second that took 10 more, forecast to take so much.
ValidationRow solved(const std::string& pattern, const std::string& solver, double forecast) {
  ValidationRow made = row(pattern, 1, 1, 1);
  made.schedule = solver;
  made.solution.emplace();
  SolutionCase& one = *made.solution;
  one.count.solver = solver;
  one.count.outcome = one.outcome = Outcome::converged;
  one.count.iterations = one.iterations = 100;
  one.count.amount = one.count.fewest = one.count.most = one.amount = 100;
  one.count.runs = one.count.converged = 4;
  one.measured = {1, 8, 1, 100};
  one.call_seconds = 121;
  one.predicted = SolutionParts{1, 8, 1, forecast - 10};
  one.interval = Interval{0.9 * forecast, 1.1 * forecast};
  return made;
}

TEST(SolutionSummary, IsNothingWithoutSolves) {
  const std::vector<ValidationRow> rows{row("a", 1, 1, 1)};
  EXPECT_FALSE(summarize_solutions(rows));
  EXPECT_FALSE(summarize_validation(rows).solutions);
}

TEST(SolutionSummary, SaysHowFarForecastsAreOff) {
  const std::vector<ValidationRow> rows{solved("a", "cg", 110), solved("b", "cg", 115.5),
                                        solved("c", "bicgstab", 165)};

  const auto summary = summarize_solutions(rows);

  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->cases, 3u);
  EXPECT_EQ(summary->stable, 3u);
  ASSERT_EQ(summary->lines.size(), 3u);
  const SolutionLine& all = summary->lines[0];
  EXPECT_EQ(all.cases, 3u);
  EXPECT_NEAR(all.mean, (0 + 0.05 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(all.median, 0.05, 1e-12);
  EXPECT_NEAR(all.worst, 0.5, 1e-12);
  EXPECT_NEAR(all.within_tenth, 2.0 / 3, 1e-12);
  EXPECT_NEAR(all.coverage.value_or(0), 2.0 / 3, 1e-12);
  EXPECT_EQ(all.count_error, 0);
  EXPECT_EQ(all.rest_error, 0);
  EXPECT_EQ(summary->lines[1].label, "bicgstab");
  EXPECT_EQ(summary->lines[2].label, "cg");
  EXPECT_EQ(summary->lines[2].cases, 2u);
  EXPECT_NEAR(summary->call_rest, 0.1, 1e-12);
}

TEST(SolutionSummary, TellsApartWhatDidNotConverge) {
  std::vector<ValidationRow> rows;
  for (int i = 0; i < 6; ++i) rows.push_back(solved("a", "cg", 110));
  rows[0].solution->count.most = 150;
  rows[1].solution->count.outcome = Outcome::stagnated;
  rows[2].solution->count.outcome = rows[2].solution->outcome = Outcome::breakdown;
  rows[3].solution->outcome = Outcome::stagnated;
  rows[4].solution->predicted.reset();

  const auto summary = summarize_solutions(rows);

  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->unstable, 1u);
  EXPECT_EQ(summary->failed_count, 1u);
  EXPECT_EQ(summary->failed_both, 1u);
  EXPECT_EQ(summary->failed_solve, 1u);
  EXPECT_EQ(summary->without_forecast, 1u);
  EXPECT_EQ(summary->stable, 1u);
  ASSERT_GE(summary->lines.size(), 2u);
  EXPECT_EQ(summary->lines[0].cases, 1u);
  EXPECT_EQ(summary->lines[1].label, "unstable counts");
}

TEST(SolutionSummary, SaysWhatTheChoiceByTheForecastLoses) {
  std::vector<ValidationRow> rows{solved("a", "cg", 100), solved("a", "bicgstab", 105)};
  rows[1].solution->measured.iterations = 78;  // 88 in all, against 110

  const auto summary = summarize_solutions(rows);

  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->regret.matrices, 1u);
  EXPECT_NEAR(summary->regret.mean, 0.25, 1e-12);
  EXPECT_EQ(summary->regret.best_share, 0);
}

}  // namespace
}  // namespace sparsecast
