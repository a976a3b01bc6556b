#include "model/paper/throughput_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

constexpr ThroughputCurve paper_fixed_grid{17.9, 1.5, 119};

TEST(ThroughputCurve, ReachesHalfOfNuAtTwoToTheMu) {
  EXPECT_NEAR(throughput_gbps(paper_fixed_grid, std::exp2(17.9)), 119 / 2.0, 1e-9);
}

TEST(ThroughputCurve, ReachesThePapersShareAtEightTimesTheHalfPerformanceLength) {
  // Section 5.1 says 83 %; three octaves of width 1.5 give 1 / (1 + e^-2) = 88 %.
  EXPECT_NEAR(throughput_gbps(paper_fixed_grid, std::exp2(20.9)) / 119, 1 / (1 + std::exp(-2.0)),
              1e-12);
}

TEST(ThroughputCurve, IsZeroForNoElements) {
  EXPECT_EQ(throughput_gbps(paper_fixed_grid, 0), 0);
}

TEST(ThroughputCurve, PricesElementsByTheirBytes) {
  const double elements = 3e6;
  const double seconds = kernel_seconds(paper_fixed_grid, elements, 4);
  EXPECT_NEAR(seconds, 4 * elements / (throughput_gbps(paper_fixed_grid, elements) * 1e9), 1e-18);
  EXPECT_NEAR(kernel_seconds(paper_fixed_grid, elements, 8), 2 * seconds, 1e-15);
}

TEST(ThroughputCurve, IsTheLatencyBandwidthLawAtItsSigma) {
  const ThroughputCurve curve{20, latency_bandwidth_sigma, 100};
  const double start = fixed_seconds(curve, 8);
  for (const double elements : {1.0, 1e3, 1e6, 1e9}) {
    const double expected = start + 8 * elements / (100 * 1e9);
    EXPECT_NEAR(kernel_seconds(curve, elements, 8) / expected, 1, 1e-12) << elements;
  }
}

TEST(ThroughputCurve, RisesAgainForFewElementsBelowTheLawsSigma) {
  const ThroughputCurve average_of_2x2{19.65, 1.15, 80.92};
  EXPECT_GT(kernel_seconds(average_of_2x2, 1e4, 4), kernel_seconds(average_of_2x2, 2.6e5, 4));
  EXPECT_GT(kernel_seconds(average_of_2x2, 1e6, 4), kernel_seconds(average_of_2x2, 2.6e5, 4));
}

TEST(ThroughputCurve, CostsItsFixedTimeForNoElements) {
  const ThroughputCurve curve{20, 1.6, 100};
  EXPECT_DOUBLE_EQ(kernel_seconds(curve, 0, 4), fixed_seconds(curve, 4));
  EXPECT_NEAR(fixed_seconds(curve, 4), 4 * 1048576 / 100e9, 1e-15);
}

}  // namespace
}  // namespace sparsecast
