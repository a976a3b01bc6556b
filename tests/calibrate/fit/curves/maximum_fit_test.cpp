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

TEST(MaximumCurve, NeverExceedsWhatTheMemoryCanDeliver) {
  // From a cache, below a million elements, samples come three times as fast as from the memory.
  std::mt19937 random(seed);
  std::vector<FitPoint> points =
      noisy_samples({17, latency_bandwidth_sigma, 100}, 200, 0.1, random);
  for (FitPoint& point : points) {
    if (point.elements < 1e6) point.seconds /= 3;
  }
  CurveFitOptions options;
  EXPECT_FALSE(fit_average_curve(points, options).at_peak);
  options.peak_gbps = 105;
  const CurveFit average = fit_average_curve(points, options);
  const MaximumFit maximum = fit_maximum_curve(points, average, options);
  ASSERT_TRUE(maximum.ok()) << maximum.full();
  EXPECT_TRUE(maximum.at_peak);
  EXPECT_LE(average.curve.nu, 105);
  EXPECT_LE(maximum.curve.nu, 105);
  EXPECT_NEAR(maximum.curve.nu, 105, 0.1);
  EXPECT_LT(maximum.coverage, options.quantile);
  EXPECT_NE(maximum.brief().find("nu 105 GB/s (the memory's peak)"), std::string::npos)
      << maximum.brief();
  for (const double m : {1e3, 1e5, 1e7}) {
    EXPECT_GE(throughput_gbps(maximum.curve, m), throughput_gbps(average.curve, m)) << m;
  }
}

TEST(AverageCurve, WithoutRoomBelowThePeakHasItsNuAndNoErrorOfIt) {
  std::mt19937 random(seed);
  const auto points = noisy_samples({16, 1.8, 300}, 200, 0.05, random);
  CurveFitOptions options;
  options.peak_gbps = 200;
  const CurveFit fit = fit_average_curve(points, options);
  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_TRUE(fit.at_peak);
  EXPECT_NEAR(fit.curve.nu, 200, 1e-6);
  EXPECT_EQ(fit.standard_errors()[2], 0);
  EXPECT_GT(fit.standard_errors()[0], 0);
  EXPECT_NE(fit.full().find("200 GB/s, the memory's peak"), std::string::npos) << fit.full();
  options.peak_gbps = -1;
  std::string reason;
  EXPECT_FALSE(options.is_valid(&reason));
  EXPECT_EQ(reason, "peak_gbps must be positive, or 0 where it is unknown");
}

TEST(MaximumCurve, PassesTheReasonOfARefusedAverageOn) {
  const CurveFit average = fit_average_curve({});
  const MaximumFit maximum = fit_maximum_curve({}, average);
  EXPECT_EQ(maximum.status, FitStatus::too_few_samples);
  EXPECT_EQ(maximum.reason, average.reason);
}

}  // namespace
}  // namespace sparsecast
