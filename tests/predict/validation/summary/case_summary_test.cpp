#include "predict/validation/summary/case_summary.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparsecast {
namespace {

ValidationRow a_case(const std::string& pattern, double measured, double predicted) {
  ValidationRow row;
  row.matrix = row.pattern = pattern;
  row.schedule = "fused";
  row.launch = "graph";
  row.working_set_bytes = 1e6;
  row.measured_seconds = measured;
  row.predicted_seconds = predicted;
  row.interval_seconds = Interval{0.9 * predicted, 1.1 * predicted};
  return row;
}

const CaseLine& line(const std::vector<CaseLine>& lines, const std::string& kind,
                     const std::string& stratum) {
  for (const CaseLine& each : lines) {
    if (each.kind == kind && each.stratum == stratum) return each;
  }
  throw std::runtime_error("no line " + kind + ", " + stratum);
}

TEST(CaseSummary, CountsEachCaseOnce) {
  // Two orders of one pattern are two cases.
  std::vector<ValidationRow> rows{a_case("a", 1, 1.05), a_case("a", 1, 0.8), a_case("b", 1, 1)};
  rows[1].renumbering = "random";
  rows[2].launch = "persistent";
  rows[2].working_set_bytes = 1e7;
  const std::vector<CaseLine> lines = summarize_cases(rows);
  const CaseLine& graph = line(lines, "iterations by graph", "below 5 MB");
  EXPECT_EQ(graph.cases, 2U);
  EXPECT_NEAR(graph.mean, 0.125, 1e-12);
  EXPECT_NEAR(graph.worst, 0.2, 1e-12);
  EXPECT_NEAR(graph.coverage.value(), 0.5, 1e-12);
  EXPECT_EQ(line(lines, "iterations by persistent", "5 to 40 MB").cases, 1U);
  EXPECT_EQ(lines.front().kind, "recommended");
  EXPECT_EQ(line(lines, "recommended", "all").cases, 3U);
}

TEST(CaseSummary, JudgesIntervalsByChance) {
  EXPECT_GT(binomial_tail(180, 200, 0.9), 0.5);
  EXPECT_LT(binomial_tail(160, 200, 0.9), 0.001);
  EXPECT_LT(binomial_tail(198, 200, 0.9), 0.001);
  EXPECT_NEAR(binomial_tail(0, 1, 0.9), 0.2, 1e-12);
  std::vector<ValidationRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(a_case(std::to_string(i), 1, i % 10 == 0 ? 2 : 1));
  EXPECT_FALSE(line(summarize_cases(rows), "iterations by graph", "all").unlikely);
  for (ValidationRow& row : rows) row.interval_seconds = Interval{0.5, 3};
  EXPECT_TRUE(line(summarize_cases(rows), "iterations by graph", "all").unlikely);
}

TEST(CaseSummary, LeavesOutWhatHasNoForecast) {
  const std::vector<ValidationRow> rows{a_case("a", 1, 0)};
  EXPECT_TRUE(summarize_cases(rows).empty());
}

}  // namespace
}  // namespace sparsecast
