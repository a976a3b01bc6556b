#include "predict/validation/validation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

ValidationRow row(const std::string& pattern, int block, double measured, double predicted) {
  ValidationRow made;
  made.matrix = "matrix_" + pattern;
  made.pattern = pattern;
  made.unknowns = 1000;
  made.nonzeros = 5000;
  made.block_elements = 8000;
  made.block = block;
  made.working_set_bytes = 1e6;
  made.measured_seconds = measured;
  made.measured_spread = 0.01;
  made.rounds = 9;
  made.predicted_seconds = predicted;
  made.baseline_seconds = 2 * measured;
  return made;
}

/// docs/h200.md: iterations of Algorithm 1 as a graph over the sum of their kernels by the curves.
TEST(Validation, OfTheH200HoldsTheRatiosOfItsPageByWorkingSet) {
  const std::string file = SPARSECAST_SOURCE_DIR "/docs/validation/nvidia-h200.csv";
  std::array<std::vector<double>, 4> ratios;
  std::size_t cases = 0;
  for (const ValidationRow& row : parse_validation_csv(read_file(file), file).rows) {
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

TEST(Validation, CountsAnErrorOfTimeFromTheMeasuredTime) {
  EXPECT_DOUBLE_EQ(time_error(3.0, 2.0), 0.5);
  EXPECT_DOUBLE_EQ(time_error(1.0, 2.0), 0.5);
}

TEST(Validation, CountsAnErrorOfPerformanceFromTheMeasuredPerformance) {
  EXPECT_DOUBLE_EQ(performance_error(4.0, 2.0), 0.5);
  EXPECT_DOUBLE_EQ(performance_error(1.0, 2.0), 1.0);
}

TEST(Validation, CountsRawFlopsOfAllBlockElementsAndEffectiveOnesOfNonzeros) {
  const ValidationRow made = row("a", 2, 1e-3, 1e-3);

  EXPECT_DOUBLE_EQ(raw_gflops(made, 1e-3), (2 * 8000 + 15 * 1000) / 1e-3 / 1e9);
  EXPECT_DOUBLE_EQ(effective_gflops(made, 1e-3), (2 * 5000 + 15 * 1000) / 1e-3 / 1e9);
}

TEST(Validation, TakesTheNearestRankAsAQuantile) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.95), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(Validation, GivesMeanAndVarianceOfErrorsOverMatrices) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 3.0, 2.0)};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::model);

  EXPECT_EQ(summary.matrices, 2u);
  EXPECT_DOUBLE_EQ(summary.mean_performance_error, 0.75);
  EXPECT_DOUBLE_EQ(summary.variance_performance_error, 0.125);
  EXPECT_DOUBLE_EQ(summary.mean_time_error, (0.5 + 1.0 / 3) / 2);
  EXPECT_NEAR(summary.bias, std::sqrt(0.5 * 2 / 3), 1e-12);
}

TEST(Validation, CountsAMatrixOnceHoweverOftenItWasMeasured) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("a", 1, 2.0, 1.0),
                                        row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 2.0)};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::model);

  EXPECT_EQ(summary.matrices, 2u);
  EXPECT_EQ(summary.cases, 4u);
  EXPECT_DOUBLE_EQ(summary.mean_performance_error, 0.5);
}

TEST(Validation, JudgesTheBaselineOnTheSameCases) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0)};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::baseline);

  EXPECT_DOUBLE_EQ(summary.mean_time_error, 1.0);
  EXPECT_FALSE(summary.coverage.has_value());
}

TEST(Validation, CountsTheIntervalsThatHoldTheMeasuredTime) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0),
                                  row("c", 1, 2.0, 1.0)};
  rows[0].interval_seconds = Interval{0.5, 1.5};
  rows[1].interval_seconds = Interval{0.5, 2.5};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::model);

  ASSERT_TRUE(summary.coverage.has_value());
  EXPECT_DOUBLE_EQ(*summary.coverage, 0.5);
}

TEST(Validation, StatesNoCoverageWithoutIntervals) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0)};

  EXPECT_FALSE(summarize_errors(rows, Forecaster::model).coverage.has_value());
}

TEST(Validation, GivesALineOfTable6ForEachBlockSizeAndNumberOfDevices) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("a", 4, 2.0, 2.0),
                                  row("a", 4, 1.5, 1.0)};
  rows[2].devices = 2;

  const auto lines = summarize_validation(rows).table6;

  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].block, 1);
  EXPECT_DOUBLE_EQ(lines[0].model.mean_performance_error, 1.0);
  EXPECT_EQ(lines[1].block, 4);
  EXPECT_DOUBLE_EQ(lines[1].model.mean_performance_error, 0.0);
  EXPECT_EQ(lines[2].devices, 2);
  EXPECT_DOUBLE_EQ(lines[2].model.mean_performance_error, 0.5);
}

TEST(Validation, SeparatesStrataByWorkingSet) {
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

TEST(Validation, CountsTheTimeLostByFollowingTheAdvice) {
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

TEST(Validation, CountsRegretAmongOurSchedulesAndLaunchModes) {
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

TEST(Validation, KeepsTheProductAloneApartFromTheSolvers) {
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

TEST(Validation, LeavesOutCasesWithoutAForecast) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 0.0)};

  EXPECT_EQ(summarize_errors(rows, Forecaster::model).cases, 1u);
  EXPECT_EQ(summarize_errors(rows, Forecaster::paper).cases, 0u);
  EXPECT_EQ(summarize_validation(rows).worst.size(), 1u);
}

TEST(Validation, SaysWhichCasesHaveNoForecast) {
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

TEST(Validation, GivesTheMeanWidthOfIntervalsOverTheMeasuredTime) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 4.0, 1.0)};
  rows[0].interval_seconds = Interval{1, 2};
  rows[1].interval_seconds = Interval{1, 2};

  EXPECT_DOUBLE_EQ(*summarize_errors(rows, Forecaster::model).interval_width, 0.375);
}

TEST(Validation, CountsFlopsOfAProductAlone) {
  ValidationRow made = row("a", 2, 1e-3, 1e-3);
  made.schedule = product_alone;

  EXPECT_DOUBLE_EQ(raw_gflops(made, 1e-3), 2 * 8000 / 1e-3 / 1e9);
}

TEST(Validation, CountsRegretOfTheNumberOfDevicesToo) {
  std::vector<ValidationRow> rows{row("a", 1, 3.0, 3.0), row("a", 1, 4.0, 2.0)};
  rows[1].devices = 2;

  const auto regrets = summarize_validation(rows).regrets;

  ASSERT_EQ(regrets.size(), 1u);
  EXPECT_EQ(regrets[0].devices, 0);
  EXPECT_NEAR(regrets[0].regret.mean, 1.0 / 3, 1e-12);
}

TEST(Validation, JudgesTheNumberOfDevicesByTheFastestOfEach) {
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

TEST(Validation, ComparesOrdersForSeveralDevicesWithOneDeviceAsGiven) {
  std::vector<ValidationRow> rows{row("a", 1, 1.0, 1.0), row("a", 1, 0.8, 0.8)};
  rows[1].devices = 2;
  rows[1].renumbering = "metis";

  const auto choices = summarize_validation(rows).device_choices;

  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].matrices, 1u);
  EXPECT_EQ(choices[0].several_best, 1);
  EXPECT_EQ(choices[0].max_loss, 0);
}

TEST(Validation, NamesTheWorstCaseOfEachMatrix) {
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

TEST(Validation, TakesTheSecondFastestVisitAsNoise) {
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

/// Runs on the same machine.
std::vector<ValidationData> two_runs() {
  std::vector<ValidationData> runs{
      {{{"run on", "card"}, {"date", "Monday"}}, {row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0)}},
      {{{"run on", "card"}, {"date", "Friday"}}, {row("b", 1, 1.5, 1.0), row("b", 2, 3.0, 1.0)}}};
  return runs;
}

TEST(MergedValidations, AreTheFastestOfEachCase) {
  const std::vector<std::string> names{"monday.csv", "friday.csv"};

  const ValidationData merged = merge_validations(two_runs(), names);

  ASSERT_EQ(merged.rows.size(), 3u);
  EXPECT_EQ(merged.rows[0].visits, 1);
  EXPECT_EQ(merged.rows[1].matrix, "matrix_b");
  EXPECT_EQ(merged.rows[1].measured_seconds, 1.5);
  EXPECT_EQ(merged.rows[1].second_seconds, 2.0);
  EXPECT_EQ(merged.rows[1].visits, 2);
  EXPECT_EQ(merged.rows[2].block, 2);
  EXPECT_EQ(merged.about.at("runs"), "2");
  EXPECT_EQ(merged.about.at("date"), "Monday; Friday");
}

TEST(MergedValidations, OfOneRunAreThatRun) {
  const std::vector<std::string> names{"monday.csv"};

  const ValidationData merged = merge_validations({two_runs().front()}, names);

  EXPECT_EQ(merged.rows, two_runs().front().rows);
  EXPECT_EQ(merged.about, two_runs().front().about);
}

TEST(MergedValidations, MayBeOfSeveralDevicesOfOneKind) {
  const std::vector<std::string> names{"monday.csv", "friday.csv"};
  std::vector<ValidationData> runs = two_runs();
  runs[0].about["run on"] = "card, cuda:1";
  runs[1].about["run on"] = "card, cuda:0";

  EXPECT_EQ(merge_validations(std::move(runs), names).about.at("run on"),
            "card, cuda:1; card, cuda:0");
}

TEST(MergedValidations, AreOfOneKindOfDevice) {
  const std::vector<std::string> names{"monday.csv", "friday.csv"};
  std::vector<ValidationData> runs = two_runs();
  runs[1].about["run on"] = "board";

  try {
    merge_validations(std::move(runs), names);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "friday.csv: measured on 'board', monday.csv on 'card'; name runs on one kind of "
                 "device");
  }
}

void expect_refused(const std::string& text, const std::string& message) {
  try {
    parse_validation_csv(text, "data.csv");
    FAIL() << "expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(ValidationCsv, IsReadBackExactly) {
  ValidationData data;
  data.about = {{"profile", "card"}, {"date", "2026-01-02T03:04:05Z"}};
  data.rows = {row("a", 1, 1.0 / 3, 0.1), row("b", 4, 2e-7, 3e-7)};
  data.rows[0].matrix = "a, \"quoted\" name";
  data.rows[0].interval_seconds = Interval{0.05, 0.2};
  data.rows[1].surrogate_values = true;
  data.rows[1].precision = Precision::f32;
  data.rows[1].devices = 2;
  data.rows[1].schedule = "fused";
  data.rows[1].launch = "graph";
  data.rows[1].segments = {{1000, 2000, 5000.5, 300, 250, 2}, {1000, 2000, 4000, 200, 250, 4}};
  data.rows[1].access.emplace();
  data.rows[1].access->sector_lookups[3] = 77;
  data.rows[1].access->bandwidth = 12;
  data.rows[1].core_clock_mhz = 1980;
  data.rows[1].throttle_reasons = "power_cap";
  data.rows[1].paper_seconds = 1.0 / 7;
  data.rows[1].predicted_seconds = 0;
  data.rows.push_back(row("c", 1, 1, 2));
  data.rows[2].generated = true;
  data.rows[2].exchange = "halo";
  data.rows[2].work.resize(2);
  data.rows[2].work[1].received = 12;
  data.rows[2].visits = 4;
  data.rows[2].second_seconds = 1.0 / 9;

  const ValidationData again = parse_validation_csv(validation_to_csv(data), "data.csv");

  EXPECT_EQ(again.about, data.about);
  EXPECT_EQ(again.rows, data.rows);
}

TEST(ValidationCsv, OfVersion1IsOfAlgorithm1) {
  const std::string text =
      "# profile: card\n"
      "matrix,pattern,renumbering,values,unknowns,nonzeros,block_elements,block,devices,precision,"
      "working_set_bytes,measured_seconds,measured_spread,measured_error,rounds,predicted_seconds,"
      "interval_low_seconds,interval_high_seconds,baseline_seconds\n"
      "a,key,rcm,surrogate,10,40,60,2,1,f32,500,0.5,0.1,0.01,9,0.25,,,0.125\n";

  const ValidationData data = parse_validation_csv(text, "data.csv");

  ASSERT_EQ(data.rows.size(), 1u);
  EXPECT_EQ(data.rows[0].schedule, "algorithm1");
  EXPECT_EQ(data.rows[0].launch, "");
  EXPECT_TRUE(data.rows[0].segments.empty());
  EXPECT_FALSE(data.rows[0].access.has_value());
  EXPECT_EQ(data.rows[0].baseline_seconds, 0.125);
}

TEST(ValidationCsv, RefusesAVersionThatItDoesNotKnow) {
  expect_refused("# schema: 5\n",
                 "data.csv:1: raw data of schema version 5; this program reads 1 to 4: use a newer "
                 "one");
}

TEST(ValidationCsv, RefusesAShapeOfOtherThanSixNumbers) {
  ValidationData data{{}, {row("a", 1, 1.0, 2.0)}};
  data.rows[0].segments = {{1, 2, 3, 4, 5, 6}};
  std::string text = validation_to_csv(data);
  text.replace(text.find("1:2:3:4:5:6"), 11, "1:2:3:4:5:6:7");

  expect_refused(
      text, "data.csv:3: '1:2:3:4:5:6:7' in column 'segments'; expected six numbers a segment");
}

TEST(ValidationCsv, NamesTheLineOfADamagedCell) {
  std::string text = validation_to_csv({{{"profile", "card"}}, {row("a", 1, 1.0, 2.0)}});
  text.replace(text.find(",1000,"), 6, ",many,");

  expect_refused(text, "data.csv:4: 'many' in column 'unknowns'; expected a number");
}

TEST(ValidationCsv, RefusesATruncatedLine) {
  std::string text = validation_to_csv({{}, {row("a", 1, 1.0, 2.0)}});
  text.resize(text.find(",1000,"));

  expect_refused(text, "data.csv:3: 4 cells; expected 31");
}

TEST(ValidationCsv, RefusesATimeThatIsNotPositive) {
  expect_refused(validation_to_csv({{}, {row("a", 1, 0.0, 2.0)}}),
                 "data.csv:3: '0' in column 'measured_seconds'; expected a positive number");
}

/// What reading this text complains of.
std::string error_of(const std::string& text) {
  try {
    parse_validation_csv(text, "raw.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ValidationCsv, KeepsAnyNameOfAMatrix) {
  for (const std::string name : {"#x", "a, b", "say \"x\"", "two\nlines", "windows\r\nlines",
                                 " leading", "trailing ", "", "\"", "# key: value"}) {
    ValidationData data;
    data.rows = {row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0)};
    for (ValidationRow& each : data.rows) each.matrix = name;

    const ValidationData again = parse_validation_csv(validation_to_csv(data), "raw.csv");

    EXPECT_EQ(again.rows, data.rows) << name;
  }
}

TEST(ValidationCsv, CountsLinesInsideNamesInItsErrors) {
  ValidationData data;
  data.rows = {row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0)};
  data.rows[0].matrix = "two\nlines";
  std::string text = validation_to_csv(data);
  text.replace(text.rfind(",f64,"), 5, ",f16,");

  EXPECT_EQ(error_of(text), "raw.csv:5: 'f16' in column 'precision'; expected f32 or f64");
}

TEST(ValidationCsv, RefusesAColumnThatIsThereTwice) {
  EXPECT_EQ(error_of("matrix,pattern,matrix\n"),
            "raw.csv:1: column 'matrix' is there twice; expected it once");
}

TEST(ValidationCsv, SaysInOneShortLineWhatItRefuses) {
  const std::string commas(1'000'000, ',');
  const std::string letters(1'000'000, 'x');
  ValidationData data;
  data.rows = {row("a", 1, 2.0, 1.0)};
  const std::string text = validation_to_csv(data);
  for (const std::string& wrong : {commas + '\n', letters + '\n', text + commas, text + letters}) {
    EXPECT_LT(error_of(wrong).size(), 200u) << error_of(wrong).substr(0, 300);
  }
}

TEST(ValidationCsv, RefusesAQuoteWithoutItsEnd) {
  ValidationData data;
  data.rows = {row("a", 1, 2.0, 1.0)};
  data.rows[0].matrix = "a, b";
  std::string text = validation_to_csv(data);
  text.erase(text.find("a, b\"") + 4, 1);

  EXPECT_EQ(error_of(text), "raw.csv:3: a quote without its end; expected another quote");
}

TEST(ValidationCsv, RefusesWordsThatItDoesNotKnow) {
  const auto error_with = [](std::string ValidationRow::*member, const char* word) {
    ValidationData data;
    data.rows = {row("a", 1, 2.0, 1.0)};
    data.rows[0].*member = word;
    return error_of(validation_to_csv(data));
  };
  EXPECT_EQ(error_with(&ValidationRow::schedule, "gmres"),
            "raw.csv:3: 'gmres' in column 'schedule'; expected one of fused, algorithm1, vendor, "
            "spmv");
  EXPECT_EQ(error_with(&ValidationRow::launch, "rocket"),
            "raw.csv:3: 'rocket' in column 'launch'; unknown launch mode 'rocket'; expected one of "
            "auto, host, plain, graph, persistent");
  EXPECT_EQ(error_with(&ValidationRow::launch, "auto"),
            "raw.csv:3: 'auto' in column 'launch'; expected the mode that ran");
  EXPECT_NE(error_with(&ValidationRow::exchange, "post").find("'post' in column 'exchange'"),
            std::string::npos);
  EXPECT_NE(error_with(&ValidationRow::renumbering, "az").find("'az' in column 'renumbering'"),
            std::string::npos);
}

TEST(ValidationCsv, RefusesNumbersThatMakeNoSense) {
  const auto error_with = [](const std::function<void(ValidationRow&)>& change) {
    ValidationData data;
    data.rows = {row("a", 1, 2.0, 1.0)};
    change(data.rows[0]);
    return error_of(validation_to_csv(data));
  };
  EXPECT_NE(error_with([](ValidationRow& each) {
              each.measured_spread = NAN;
            }).find("'nan' in column 'measured_spread'; expected a number that is not negative"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) {
              each.working_set_bytes = -1;
            }).find("in column 'working_set_bytes'"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) { each.block = 5; }).find("in column 'block'"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) { each.devices = 0; }).find("in column 'devices'"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) {
              each.segments.resize(2);
            }).find("2 segments of 1 devices; expected one a device"),
            std::string::npos);
}

TEST(ValidationCsv, RefusesOtherFiles) {
  expect_refused("",
                 "data.csv: no header line; expected validation data written by validate --csv");
  expect_refused("a,b\n1,2\n",
                 "data.csv:1: no column 'a' in validation data; expected a header such as "
                 "matrix,pattern,renumbering,...");
}

}  // namespace
}  // namespace sparsecast
