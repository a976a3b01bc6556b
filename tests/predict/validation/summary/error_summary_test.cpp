#include "predict/validation/summary/error_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "predict/validation/summary/statistics.hpp"
#include "predict/validation/validation_cases.hpp"

namespace sparsecast {
namespace {

TEST(ErrorSummary, CountsAnErrorOfTimeFromTheMeasuredTime) {
  EXPECT_DOUBLE_EQ(time_error(3.0, 2.0), 0.5);
  EXPECT_DOUBLE_EQ(time_error(1.0, 2.0), 0.5);
}

TEST(ErrorSummary, CountsAnErrorOfPerformanceFromTheMeasuredPerformance) {
  EXPECT_DOUBLE_EQ(performance_error(4.0, 2.0), 0.5);
  EXPECT_DOUBLE_EQ(performance_error(1.0, 2.0), 1.0);
}

TEST(ErrorSummary, TakesTheNearestRankAsAQuantile) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.95), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(ErrorSummary, GivesMeanAndVarianceOfErrorsOverMatrices) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 3.0, 2.0)};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::model);

  EXPECT_EQ(summary.matrices, 2u);
  EXPECT_DOUBLE_EQ(summary.mean_performance_error, 0.75);
  EXPECT_DOUBLE_EQ(summary.variance_performance_error, 0.125);
  EXPECT_DOUBLE_EQ(summary.mean_time_error, (0.5 + 1.0 / 3) / 2);
  EXPECT_NEAR(summary.bias, std::sqrt(0.5 * 2 / 3), 1e-12);
}

TEST(ErrorSummary, CountsAMatrixOnceHoweverOftenItWasMeasured) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("a", 1, 2.0, 1.0),
                                        row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 2.0)};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::model);

  EXPECT_EQ(summary.matrices, 2u);
  EXPECT_EQ(summary.cases, 4u);
  EXPECT_DOUBLE_EQ(summary.mean_performance_error, 0.5);
}

TEST(ErrorSummary, JudgesTheBaselineOnTheSameCases) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0)};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::baseline);

  EXPECT_DOUBLE_EQ(summary.mean_time_error, 1.0);
  EXPECT_FALSE(summary.coverage.has_value());
}

TEST(ErrorSummary, CountsTheIntervalsThatHoldTheMeasuredTime) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0),
                                  row("c", 1, 2.0, 1.0)};
  rows[0].interval_seconds = Interval{0.5, 1.5};
  rows[1].interval_seconds = Interval{0.5, 2.5};

  const ErrorSummary summary = summarize_errors(rows, Forecaster::model);

  ASSERT_TRUE(summary.coverage.has_value());
  EXPECT_DOUBLE_EQ(*summary.coverage, 0.5);
}

TEST(ErrorSummary, StatesNoCoverageWithoutIntervals) {
  const std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0)};

  EXPECT_FALSE(summarize_errors(rows, Forecaster::model).coverage.has_value());
}

TEST(ErrorSummary, GivesTheMeanWidthOfIntervalsOverTheMeasuredTime) {
  std::vector<ValidationRow> rows{row("a", 1, 2.0, 1.0), row("b", 1, 4.0, 1.0)};
  rows[0].interval_seconds = Interval{1, 2};
  rows[1].interval_seconds = Interval{1, 2};

  EXPECT_DOUBLE_EQ(*summarize_errors(rows, Forecaster::model).interval_width, 0.375);
}

}  // namespace
}  // namespace sparsecast
