#include "predict/validation/summary/validation_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/files/text_file.hpp"
#include "model/working_set.hpp"
#include "predict/validation/data/validation_csv.hpp"
#include "predict/validation/summary/statistics.hpp"
#include "predict/validation/validation_cases.hpp"

namespace sparsecast {
namespace {

/// docs/h200.md: iterations of Algorithm 1 as a graph over the sum of their kernels by the curves.
TEST(ValidationSummary, OfTheH200HoldsTheRatiosOfItsPageByWorkingSet) {
  const std::string file = SPARSECAST_SOURCE_DIR "/docs/validation/nvidia-h200.csv.gz";
  std::array<std::vector<double>, 4> ratios;
  std::size_t cases = 0;
  for (const ValidationRow& row : parse_validation_csv(read_text(file), file).rows) {
    if (row.schedule != "algorithm1" || row.launch != "graph" || row.paper_seconds <= 0) continue;
    ratios.at(working_set_stratum(row.working_set_bytes))
        .push_back(row.measured_seconds / row.paper_seconds);
    ++cases;
  }
  std::string line = "  | measured over summed |";
  for (const std::vector<double>& of_stratum : ratios) {
    char text[20];
    std::snprintf(text, sizeof text, " %.2f |", quantile(of_stratum, 0.5));
    line += text;
  }
  const std::string page = read_file(SPARSECAST_SOURCE_DIR "/docs/h200.md");
  EXPECT_NE(page.find(line + '\n'), std::string::npos) << line;
  EXPECT_NE(page.find("Medians of the " + std::to_string(cases) + " such cases"), std::string::npos)
      << cases;
}

TEST(ValidationSummary, GivesALineOfTable6ForEachLayoutAndNumberOfDevices) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("a", 4, 2.0, 2.0),
                                  row("a", 4, 1.5, 1.0)};
  rows[2].devices = 2;

  const auto lines = summarize_validation(rows).table6;

  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].layout, "csr");
  EXPECT_DOUBLE_EQ(lines[0].model.mean_performance_error, 1.0);
  EXPECT_EQ(lines[1].layout, "bcsr4");
  EXPECT_DOUBLE_EQ(lines[1].model.mean_performance_error, 0.0);
  EXPECT_EQ(lines[2].devices, 2);
  EXPECT_DOUBLE_EQ(lines[2].model.mean_performance_error, 0.5);
}

TEST(ValidationSummary, ListsLayoutsInTheOrderOfTables) {
  std::vector<ValidationRow> rows{row("a", 8, 2.0, 1.0), row("a", 1, 2.0, 1.0),
                                  row("a", 1, 2.0, 1.0), row("a", 2, 2.0, 1.0)};
  rows[1].layout = {"dia", 1, RowOrder::natural};

  std::vector<std::string> names;
  for (const ErrorLine& line : summarize_validation(rows).table6) names.push_back(line.layout);

  EXPECT_EQ(names, (std::vector<std::string>{"csr", "bcsr2", "bcsr8", "dia"}));
}

TEST(ValidationSummary, SeparatesStrataByWorkingSet) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 2.0),
                                  row("c", 1, 2.0, 4.0)};
  rows[1].working_set_bytes = 5e6;
  rows[2].working_set_bytes = 1.5e8;

  const auto strata = summarize_validation(rows).strata;

  ASSERT_EQ(strata.size(), 3u);
  EXPECT_EQ(strata[0].label, "below 5 MB");
  EXPECT_EQ(strata[1].label, "5 to 40 MB");
  EXPECT_EQ(strata[2].label, "above 150 MB");
  EXPECT_DOUBLE_EQ(strata[1].model.mean_time_error, 0.0);
}

TEST(ValidationSummary, JudgesWhatIsRecommendedByItself) {
  // Of "a" the second is recommended, of "b" in each precision the only one; others count nothing.
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 2.0), row("a", 2, 2.0, 1.0),
                                  row("b", 1, 4.0, 3.0), row("b", 1, 1.0, 1.0),
                                  row("a", 1, 1.0, 0.5), row("a", 1, 1.0, 0.0)};
  rows[1].interval_seconds = Interval{1.0, 1.5};
  rows[3].precision = Precision::f32;
  rows[3].working_set_bytes = 1.5e8;
  rows[3].interval_seconds = Interval{0.5, 1.5};
  rows[4].schedule = "vendor";

  const auto lines = summarize_validation(rows).recommended;

  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].label, "below 5 MB");
  EXPECT_EQ(lines[1].label, "above 150 MB");
  const ErrorSummary& all = lines[2].model;
  EXPECT_EQ(lines[2].label, "all");
  EXPECT_EQ(all.matrices, 2u);
  EXPECT_EQ(all.cases, 3u);
  EXPECT_DOUBLE_EQ(all.mean_time_error, (0.5 + (0.25 + 0.0) / 2) / 2);
  EXPECT_DOUBLE_EQ(all.coverage.value(), 0.5);
  EXPECT_TRUE(summarize_validation({}).recommended.empty());
}

TEST(ValidationSummary, CountsTheTimeLostByFollowingTheAdvice) {
  const std::vector<ValidationRow> rows{
      row("a", 1, 3.0, 1.0), row("a", 2, 2.0, 1.5),   // advice 1, best 2: loses half
      row("b", 1, 1.0, 1.0), row("b", 2, 2.0, 1.5)};  // advice 1, best 1: loses nothing

  const auto regrets = summarize_validation(rows).regrets;

  ASSERT_EQ(regrets.size(), 1u);
  EXPECT_EQ(regrets[0].devices, 1);
  EXPECT_EQ(regrets[0].regret.matrices, 2u);
  EXPECT_DOUBLE_EQ(regrets[0].regret.mean, 0.25);
  EXPECT_DOUBLE_EQ(regrets[0].regret.max, 0.5);
  EXPECT_EQ(regrets[0].regret.worst_matrix, "matrix_a");
  EXPECT_DOUBLE_EQ(regrets[0].regret.best_share, 0.5);
}

TEST(ValidationSummary, CountsRegretAmongOurSchedulesAndLaunchModes) {
  std::vector<ValidationRow> rows{row("a", 1, 3.0, 2.0), row("a", 1, 2.0, 1.0),
                                  row("a", 1, 1.0, 0.5), row("a", 1, 0.5, 0.1)};
  rows[0].schedule = rows[1].schedule = "fused";
  rows[0].launch = "persistent";
  rows[1].launch = "graph";
  rows[2].schedule = "vendor";
  rows[3].schedule = product_alone;

  const auto regrets = summarize_validation(rows).regrets;

  ASSERT_EQ(regrets.size(), 1u);
  EXPECT_EQ(regrets[0].regret.mean, 0);
}

TEST(ValidationSummary, KeepsTheProductAloneApartFromTheSolvers) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("a", 1, 2.0, 2.0),
                                  row("b", 1, 2.0, 3.0)};
  rows[1].schedule = product_alone;
  rows[1].launch = "graph";
  rows[2].schedule = "vendor";
  rows[2].launch = "graph";

  const ValidationSummary summary = summarize_validation(rows);

  EXPECT_EQ(summary.overall.model.cases, 2u);
  ASSERT_EQ(summary.solvers.size(), 3u);
  EXPECT_EQ(summary.solvers[0].label, "algorithm1");
  EXPECT_EQ(summary.solvers[1].label, "spmv graph");
  EXPECT_DOUBLE_EQ(summary.solvers[1].model.mean_time_error, 0);
  EXPECT_EQ(summary.solvers[2].label, "vendor graph");
  ASSERT_EQ(summary.table6.size(), 1u);
  EXPECT_EQ(summary.table6[0].model.cases, 1u);
}

TEST(ValidationSummary, LeavesOutCasesWithoutAForecast) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 0.0)};

  EXPECT_EQ(summarize_errors(rows, Forecaster::model).cases, 1u);
  EXPECT_EQ(summarize_errors(rows, Forecaster::paper).cases, 0u);
  EXPECT_EQ(summarize_validation(rows).worst.size(), 1u);
}

TEST(ValidationSummary, SaysWhichCasesHaveNoForecast) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0),
                                  row("c", 1, 2.0, 0.0)};
  for (ValidationRow& each : rows) each.paper_seconds = each.matrix == "matrix_b" ? 1.0 : 0.0;
  rows[0].schedule = "fused";

  const std::vector<LeftOutLine> lines = summarize_validation(rows).left_out;

  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].forecaster, Forecaster::model);
  EXPECT_EQ(lines[0].schedule, "algorithm1");
  EXPECT_EQ(lines[0].cases, 1u);
  EXPECT_EQ(lines[1].forecaster, Forecaster::paper);
  EXPECT_EQ(lines[1].schedule, "algorithm1");
  EXPECT_EQ(lines[2].schedule, "fused");
}

TEST(ValidationSummary, CountsRegretOfTheNumberOfDevicesToo) {
  std::vector<ValidationRow> rows{row("a", 1, 3.0, 3.0), row("a", 1, 4.0, 2.0)};
  rows[1].devices = 2;

  const auto regrets = summarize_validation(rows).regrets;

  ASSERT_EQ(regrets.size(), 1u);
  EXPECT_EQ(regrets[0].devices, 0);
  EXPECT_NEAR(regrets[0].regret.mean, 1.0 / 3, 1e-12);
}

TEST(ValidationSummary, JudgesTheNumberOfDevicesByTheFastestOfEach) {
  // Of "a" two devices are rightly chosen, of "b" wrongly, and of "c" a tie goes to one.
  std::vector<ValidationRow> rows{
      row("a", 1, 4.0, 4.0),  row("a", 2, 3.0, 3.1), row("a", 1, 2.0, 2.0),  row("b", 1, 1.0, 1.0),
      row("b", 1, 1.25, 0.8), row("c", 1, 1.0, 1.0), row("c", 1, 0.99, 0.98)};
  rows[2].devices = rows[4].devices = rows[6].devices = 2;

  const auto choices = summarize_validation(rows).device_choices;

  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].matrices, 3u);
  EXPECT_NEAR(choices[0].several_best, 2.0 / 3, 1e-12);
  EXPECT_NEAR(choices[0].within_margin, 2.0 / 3, 1e-12);
  EXPECT_NEAR(choices[0].max_loss, 0.25, 1e-12);
  EXPECT_EQ(choices[0].worst_matrix, "matrix_b");
}

TEST(ValidationSummary, ComparesOrdersForSeveralDevicesWithOneDeviceAsGiven) {
  std::vector<ValidationRow> rows{row("a", 1, 1.0, 1.0), row("a", 1, 0.8, 0.8)};
  rows[1].devices = 2;
  rows[1].renumbering = "metis";

  const auto choices = summarize_validation(rows).device_choices;

  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].matrices, 1u);
  EXPECT_EQ(choices[0].several_best, 1);
  EXPECT_EQ(choices[0].max_loss, 0);
}

TEST(ValidationSummary, NamesTheWorstCaseOfEachMatrix) {
  const std::vector<ValidationRow> rows{row("a", 1, 1.0, 1.1), row("b", 1, 1.0, 0.2),
                                        row("b", 2, 1.0, 0.3), row("c", 1, 1.0, 2.0),
                                        row("d", 1, 1.0, 1.5)};

  const auto worst = summarize_validation(rows).worst;

  ASSERT_EQ(worst.size(), 3u);
  EXPECT_EQ(worst[0].matrix, "matrix_b");
  EXPECT_DOUBLE_EQ(worst[0].predicted_seconds, 0.2);
  EXPECT_EQ(worst[1].matrix, "matrix_c");
  EXPECT_EQ(worst[2].matrix, "matrix_d");
}

TEST(ValidationSummary, TakesTheSecondFastestVisitAsNoise) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0),
                                  row("c", 1, 2.0, 1.0)};
  EXPECT_EQ(summarize_validation(rows).visits.cases, 0u);
  rows[1].visits = 3;
  rows[1].second_seconds = 2.5;
  rows[2].visits = 2;
  rows[2].second_seconds = 3;

  EXPECT_DOUBLE_EQ(measurement_noise(rows[0]), 0.01);
  EXPECT_DOUBLE_EQ(measurement_noise(rows[1]), 0.25);
  EXPECT_DOUBLE_EQ(summarize_errors(rows, Forecaster::model).median_noise, 0.25);
  const VisitSummary visits = summarize_validation(rows).visits;
  EXPECT_EQ(visits.cases, 2u);
  EXPECT_EQ(visits.fewest, 2);
  EXPECT_EQ(visits.most, 3);
  EXPECT_DOUBLE_EQ(visits.median_noise, 0.25);
  EXPECT_DOUBLE_EQ(visits.p90_noise, 0.5);
}

TEST(ValidationSummary, HasTheRatiosOfEveryKindThatIntervalsHave) {
  std::vector<ValidationRow> rows;
  for (int i = 0; i < 100; ++i) {
    ValidationRow each = row("p" + std::to_string(i), 1, 0.9 + 0.002 * i, 1);
    each.interval_seconds = Interval{0.9, 1.1};
    rows.push_back(each);
  }
  rows[0].schedule = product_alone;
  rows[1].launch = "persistent";
  rows[2].devices = 2;
  rows[3].interval_seconds.reset();
  const std::vector<RatioLine> ratios = summarize_validation(rows).ratios;
  ASSERT_EQ(ratios.size(), 3u);
  EXPECT_EQ(ratios[0].kind, "iteration");
  EXPECT_EQ(ratios[0].cases, 96u);
  EXPECT_EQ(ratios[0].patterns, 96u);
  EXPECT_NEAR(ratios[0].low, 0.9 + 0.002 * 8, 1e-12);
  EXPECT_NEAR(ratios[0].high, 0.9 + 0.002 * 95, 1e-12);
  EXPECT_EQ(ratios[1].kind, "persistent");
  EXPECT_EQ(ratios[2].kind, "step");
  EXPECT_DOUBLE_EQ(ratios[2].median, 0.9);
}

TEST(ValidationSummary, SetsBaselinesBesideTheModelInItsHeadlines) {
  std::vector<ValidationRow> rows{row("a", 1, 1, 1.1), row("a", 2, 1, 1.3), row("b", 1, 1, 1.2)};
  rows[2].schedule = product_alone;
  for (ValidationRow& each : rows) each.roofline_seconds = 0.5;
  rows[0].regression_seconds = 1.4;

  const ValidationSummary summary = summarize_validation(rows);

  ASSERT_EQ(summary.headlines.size(), 3u);
  const ErrorLine& all = summary.headlines[1];
  EXPECT_EQ(all.label, "all iterations");
  EXPECT_NEAR(all.model.mean_time_error, 0.2, 1e-12);
  EXPECT_NEAR(all.baseline.mean_time_error, 1, 1e-12);
  EXPECT_NEAR(all.roofline.mean_time_error, 0.5, 1e-12);
  EXPECT_NEAR(all.regression.mean_time_error, 0.4, 1e-12);
  EXPECT_EQ(all.regression.cases, 1u);
  EXPECT_EQ(summary.headlines[2].label, "product alone");
  EXPECT_NEAR(summary.headlines[2].model.mean_time_error, 0.2, 1e-12);
  EXPECT_EQ(summary.headlines[2].regression.cases, 0u);
}

TEST(ValidationSummary, SaysNothingOfARegressionThatNobodyAskedFor) {
  const auto left_out = [](const std::vector<ValidationRow>& rows) {
    const ValidationSummary summary = summarize_validation(rows);
    return std::ranges::count(summary.left_out, Forecaster::regression, &LeftOutLine::forecaster);
  };
  std::vector<ValidationRow> rows{row("a", 1, 1, 1.1), row("b", 1, 1, 1.2)};
  EXPECT_EQ(left_out(rows), 0);
  rows[0].regression_seconds = 1;
  EXPECT_EQ(left_out(rows), 1);
}

}  // namespace
}  // namespace sparsecast
