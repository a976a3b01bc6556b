#include "calibrate/fit/curves/maximum_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "calibrate/fit/curves/average_fit.hpp"
#include "calibrate/fit/curves/noisy_samples.hpp"

namespace sparsecast {
namespace {

constexpr unsigned seed = 20120417;

TEST(MaximumCurve, HasTheStatedShareOfSamplesBelow) {
  std::mt19937 random(seed);
  const auto points = noisy_samples({16, 1.8, 100}, 200, 0.2, random);
  const CurveFit average = fit_average_curve(points);
  const MaximumFit maximum = fit_maximum_curve(points, average);
  ASSERT_TRUE(maximum.ok()) << maximum.full();
  EXPECT_DOUBLE_EQ(maximum.coverage, 0.95);
  EXPECT_EQ(maximum.samples_per_decade.size(), maximum.coverage_per_decade.size());
  for (const auto& [decade, share] : maximum.coverage_per_decade) {
    EXPECT_GE(share, 0.8) << "decade " << decade << ", seed " << seed;
  }
}

TEST(MaximumCurve, FollowsTheUpperEdgeOfSkewedSamples) {
  // Throughput between 40 and 100 % of a law: the edge, not the average plus a constant, is sought.
  const ThroughputCurve edge{17, 1.6, 120};
  std::mt19937 random(seed);
  std::vector<FitPoint> points = noisy_samples(edge, 300, 0, random);
  std::uniform_real_distribution<double> share(0.4, 1.0);
  for (FitPoint& point : points) point.seconds /= share(random);
  const CurveFit average = fit_average_curve(points);
  const MaximumFit maximum = fit_maximum_curve(points, average);
  ASSERT_TRUE(maximum.ok());
  EXPECT_TRUE(maximum.shape_fitted);
  for (const double m : {1e3, 1e5, 1e7}) {
    // The 95 % quantile of the share is 0.97.
    EXPECT_NEAR(throughput_gbps(maximum.curve, m) / throughput_gbps(edge, m), 0.97, 0.05) << m;
    EXPECT_GT(throughput_gbps(maximum.curve, m), throughput_gbps(average.curve, m));
  }
}

TEST(MaximumCurve, PassesTheReasonOfARefusedAverageOn) {
  const CurveFit average = fit_average_curve({});
  const MaximumFit maximum = fit_maximum_curve({}, average);
  EXPECT_EQ(maximum.status, FitStatus::too_few_samples);
  EXPECT_EQ(maximum.reason, average.reason);
}

}  // namespace
}  // namespace sparsecast
