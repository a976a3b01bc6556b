#include "calibrate/fit/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"

namespace sparsecast {
namespace {

/// Of two traits the second says nothing.
double truth(double trait) {
  return 3 + std::sin(trait);
}

std::vector<ProcessSample> noisy_samples(std::size_t count, double noise) {
  RandomStream random(7, 0);
  const auto share = [&random] { return static_cast<double>(random.below(1 << 20)) / (1 << 20); };
  std::vector<ProcessSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double trait = 6 * share();
    samples.push_back({{trait, share()}, truth(trait) + noise * (share() - 0.5)});
  }
  return samples;
}

TEST(GaussianProcess, FindsAFunctionThroughNoise) {
  const GaussianProcess process = fit_process(noisy_samples(200, 0.1), 150);

  EXPECT_EQ(process.differences.points.size(), 150u);
  for (const double trait : {0.5, 1.7, 3.1, 4.4, 5.5}) {
    EXPECT_NEAR(expected_value(process, {trait, 0.3}), truth(trait), 0.04) << trait;
  }
}

TEST(GaussianProcess, LearnsWhichTraitMatters) {
  const GaussianProcess process = fit_process(noisy_samples(200, 0.1), 200);

  EXPECT_GT(process.differences.range[1], 4 * process.differences.range[0] / 6);
  EXPECT_NEAR(expected_value(process, {2, 0}), expected_value(process, {2, 1}), 0.05);
}

TEST(GaussianProcess, FarFromAllSamplesIsTheConstant) {
  const GaussianProcess process = fit_process(noisy_samples(100, 0.1), 100);

  EXPECT_DOUBLE_EQ(expected_value(process, {1e6, 0.5}), process.constant);
}

TEST(GaussianProcess, OfEqualValuesIsTheirValue) {
  const std::vector<ProcessSample> samples(5, {{1.0, 2.0}, 7.0});

  EXPECT_NEAR(expected_value(fit_process(samples, 5), {1, 2}), 7, 1e-6);
}

TEST(GaussianProcess, NeedsASample) {
  EXPECT_THROW(fit_process({}, 10), Error);
}

}  // namespace
}  // namespace sparsecast
