#include "calibrate/fit/curves/average_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "calibrate/fit/curves/noisy_samples.hpp"
#include "core/base/error.hpp"

namespace sparsecast {
namespace {

constexpr unsigned seed = 20120417;

std::vector<FitPoint> h200_points() {
  std::ifstream file(SPARSECAST_SOURCE_DIR "/tests/calibrate/data/h200_load_8_vectors.csv");
  std::vector<FitPoint> points;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#') || line.starts_with("prec")) continue;
    std::vector<std::string> fields;
    std::stringstream fields_of_line(line);
    for (std::string field; std::getline(fields_of_line, field, ',');) fields.push_back(field);
    points.push_back({std::stod(fields.at(4)), std::stod(fields.at(5)) * 1e-6, 4, 0});
  }
  return points;
}

TEST(CurveFit, RecoversTheParametersOfExactSamples) {
  const ThroughputCurve truth{16.5, 1.7, 250};
  std::mt19937 random(seed);

  const CurveFit fit = fit_average_curve(noisy_samples(truth, 40, 0, random));

  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_NEAR(fit.curve.mu, truth.mu, 1e-4);
  EXPECT_NEAR(fit.curve.sigma, truth.sigma, 1e-4);
  EXPECT_NEAR(fit.curve.nu, truth.nu, 1e-2);
  EXPECT_FALSE(fit.latency_bandwidth_law);
}

TEST(CurveFit, TakesALawWhoseFixedCostIsTooSmallToBeKnown) {
  // A kernel of a CPU, f64: below a few thousand elements from the nearest cache, then from the
  // next, at last from memory. 18 ns at the smallest m, of which the fixed cost is a part that
  // nothing determines.
  struct Measured {
    double elements;
    double nanoseconds;
    double missing;
  };
  constexpr Measured measured[] = {
      {288, 17.7, 0},         {576, 21.3, 0},         {1152, 31.7, 0},
      {1728, 43.8, 0},        {2592, 61.7, 0},        {5733, 110.9, 0},
      {8352, 523.4, 0},       {18432, 636.3, 0},      {21888, 1124.3, 0},
      {41472, 1974.4, 0},     {90720, 4566.3, 0},     {126018, 5549.2, 0},
      {175968, 8975, 0},      {433728, 18158.7, 0},   {542592, 26952.1, 0},
      {1062720, 118502.3, 1}, {1658304, 195427.7, 1}, {3147318, 348569.5, 1},
      {3863232, 447824.5, 1}, {8679456, 996412, 1},   {14604768, 1628491, 1}};
  std::vector<FitPoint> points;
  for (const auto& [elements, nanoseconds, missing] : measured) {
    points.push_back({elements, 1e-9 * nanoseconds, 8, 0.02, missing});
  }

  const CurveFit fit = fit_average_curve(points);

  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_TRUE(fit.latency_bandwidth_law);
  EXPECT_GT(fit.standard_errors()[0], 2) << "mu is known: this is no test";
  EXPECT_NEAR(kernel_seconds(fit.curve, 288, 8), 17.7e-9, 8e-9);
}

TEST(CurveFit, StatesUncertaintiesThatCoverTheTruth) {
  const ThroughputCurve truth{15, 2.0, 30};
  std::mt19937 random(seed);
  constexpr int fits = 200;
  std::array<int, 3> within{};
  for (int i = 0; i < fits; ++i) {
    const CurveFit fit = fit_average_curve(noisy_samples(truth, 40, 0.1, random));
    ASSERT_TRUE(fit.ok()) << fit.full();
    const auto errors = fit.standard_errors();
    within[0] += std::abs(fit.curve.mu - truth.mu) < 1.96 * errors[0];
    within[1] += std::abs(fit.curve.sigma - truth.sigma) < 1.96 * errors[1];
    within[2] += std::abs(std::log(fit.curve.nu / truth.nu)) < 1.96 * errors[2];
  }
  // 95 % of 200 with a binomial standard deviation of 3, and some room for small samples.
  for (const int count : within) {
    EXPECT_GE(count, 0.89 * fits) << "seed " << seed;
    EXPECT_LE(count, 0.995 * fits) << "seed " << seed;
  }
}

TEST(CurveFit, IsHardlyMovedByOutliers) {
  const ThroughputCurve truth{16, 1.8, 100};
  std::mt19937 random(seed);
  std::vector<FitPoint> points = noisy_samples(truth, 60, 0.03, random);
  for (std::size_t i = 3; i < points.size(); i += 8) points[i].seconds *= 3;

  const CurveFit fit = fit_average_curve(points);

  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_NEAR(fit.curve.mu, truth.mu, 0.15);
  EXPECT_NEAR(fit.curve.sigma, truth.sigma, 0.1);
  EXPECT_NEAR(fit.curve.nu, truth.nu, 4);
  EXPECT_GE(fit.outliers, 8);  // the disturbed ones
  EXPECT_LE(fit.outliers, 10);
}

TEST(CurveFit, WeighsNoisySamplesLess) {
  const ThroughputCurve truth{16, 1.8, 100};
  std::mt19937 random(seed);
  std::vector<FitPoint> points = noisy_samples(truth, 40, 0.01, random);
  for (std::size_t i = 1; i < points.size(); i += 3) points[i].seconds *= 1.5;
  const CurveFit unaware = fit_average_curve(points);
  for (std::size_t i = 1; i < points.size(); i += 3) points[i].relative_noise = 0.5;
  const CurveFit aware = fit_average_curve(points);

  ASSERT_TRUE(unaware.ok() && aware.ok());
  EXPECT_LT(std::abs(aware.curve.nu - truth.nu), std::abs(unaware.curve.nu - truth.nu));
  EXPECT_NEAR(aware.curve.nu, truth.nu, 2);
}

TEST(CurveFit, AcceptsTheLatencyBandwidthLawAndSaysSo) {
  const ThroughputCurve truth{14, latency_bandwidth_sigma, 20};
  std::mt19937 random(seed);
  std::vector<FitPoint> points = noisy_samples(truth, 30, 0, random);
  // Steeper than any positive fixed cost: the fit must stop at the bound.
  for (FitPoint& point : points) {
    if (point.elements > std::exp2(14) && point.elements < std::exp2(20)) point.seconds *= 0.7;
  }

  const CurveFit fit = fit_average_curve(points);

  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_TRUE(fit.latency_bandwidth_law);
  EXPECT_DOUBLE_EQ(fit.curve.sigma, latency_bandwidth_sigma);
  EXPECT_DOUBLE_EQ(fit.covariance[4], 0);
  EXPECT_GT(fit.covariance[0], 0);
  EXPECT_NE(fit.full().find("T = T0 + s*m/nu"), std::string::npos);
}

TEST(CurveFit, JoinsPrecisionsByBytesPerValue) {
  std::mt19937 random(seed);
  std::vector<FitPoint> points = noisy_samples({12, 1.6, 10}, 20, 0, random);
  for (const FitPoint& point : noisy_samples({12, 1.6, 10}, 20, 0, random)) {
    points.push_back({point.elements, point.seconds / 2, 4, 0});
  }
  const CurveFit fit = fit_average_curve(points);
  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_NEAR(fit.curve.nu, 10, 0.01);
}

TEST(CurveFit, RefusesTooFewSamples) {
  std::mt19937 random(seed);
  const CurveFit fit = fit_average_curve(noisy_samples({16, 1.5, 100}, 7, 0, random));
  EXPECT_EQ(fit.status, FitStatus::too_few_samples);
  EXPECT_EQ(fit.brief(), "refused (too few samples): 7 samples; at least 8 are needed");
}

TEST(CurveFit, RefusesASmallSpanOfElements) {
  std::mt19937 random(seed);
  const CurveFit fit = fit_average_curve(noisy_samples({16, 1.5, 100}, 20, 0, random, 14, 17));
  EXPECT_EQ(fit.status, FitStatus::span_too_small);
}

TEST(CurveFit, RefusesSamplesThatAreNotPositive) {
  std::mt19937 random(seed);
  std::vector<FitPoint> points = noisy_samples({16, 1.5, 100}, 20, 0, random);
  points[3].seconds = -1e-6;
  EXPECT_EQ(fit_average_curve(points).status, FitStatus::invalid_sample);
  points[3].seconds = std::nan("");
  EXPECT_EQ(fit_average_curve(points).status, FitStatus::invalid_sample);
}

TEST(CurveFit, FallsBackToTheLatencyBandwidthLawWhereSigmaIsNotDetermined) {
  // Two crowds of samples tell a fixed cost and a bandwidth, but not a width.
  std::mt19937 random(seed);
  std::normal_distribution<double> scatter(0, 0.4);
  std::vector<FitPoint> points;
  const ThroughputCurve truth{10, latency_bandwidth_sigma, 50};
  for (int i = 0; i < 10; ++i) {
    const double elements = std::exp2(i < 5 ? 8 + 0.2 * i : 18 + 0.2 * i);
    points.push_back({elements, kernel_seconds(truth, elements, 8) * std::exp(scatter(random)), 8});
  }
  const CurveFit fit = fit_average_curve(points);
  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_TRUE(fit.latency_bandwidth_law);
  EXPECT_EQ(fit.curve.sigma, latency_bandwidth_sigma);
  EXPECT_NE(fit.reason.find("free sigma"), std::string::npos) << fit.full();
  EXPECT_NEAR(std::log(fit.curve.nu / truth.nu), 0, 4 * fit.standard_errors()[2]);
}

TEST(CurveFit, RefusesThroughputThatNeverRises) {
  std::vector<FitPoint> points;
  for (int i = 8; i < 28; ++i) points.push_back({std::exp2(i), std::exp2(i) * 8 / 20e9, 8, 0});
  const CurveFit fit = fit_average_curve(points);
  EXPECT_EQ(fit.status, FitStatus::at_bound);
  EXPECT_NE(fit.reason.find("lower bound"), std::string::npos) << fit.reason;
}

TEST(CurveFit, RefusesThroughputThatNeverSaturates) {
  std::vector<FitPoint> points;
  for (int i = 8; i < 20; ++i) points.push_back({std::exp2(i), 1e-5, 8, 0});
  const CurveFit fit = fit_average_curve(points);
  EXPECT_FALSE(fit.ok()) << fit.full();
  EXPECT_TRUE(fit.status == FitStatus::at_bound || fit.status == FitStatus::undetermined);
}

TEST(CurveFit, SaysWhenTheSolverGivesUp) {
  std::mt19937 random(seed);
  CurveFitOptions options;
  options.max_iterations = 1;
  const CurveFit fit = fit_average_curve(noisy_samples({16, 3, 100}, 30, 0.2, random), options);
  EXPECT_EQ(fit.status, FitStatus::not_converged);
  EXPECT_FALSE(fit.reason.empty());
}

TEST(CurveFit, RefusesOptionsThatMakeNoSense) {
  CurveFitOptions options;
  options.quantile = 1.5;
  std::string reason;
  EXPECT_FALSE(options.is_valid(&reason));
  EXPECT_EQ(reason, "quantile must lie between 0.5 and 1");
  EXPECT_THROW(fit_average_curve({}, options), Error);
}

TEST(CurveFit, DescribesAnH200) {
  const CurveFit fit = fit_average_curve(h200_points());
  ASSERT_TRUE(fit.ok()) << fit.full();
  EXPECT_EQ(fit.samples, 41);
  // Half of the largest throughput at about 2^22.5 elements with a synchronised launch each, and
  // 4.0 to 4.4 TB/s where it saturates.
  EXPECT_NEAR(fit.curve.mu, 22.4, 0.4) << fit.full();
  EXPECT_NEAR(fit.curve.nu, 4200, 300) << fit.full();
  EXPECT_LT(fit.median_relative_error, 0.05);
}

}  // namespace
}  // namespace sparsecast
