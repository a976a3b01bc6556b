#include "calibrate/fit/remainder_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

std::vector<RemainderSample> wavy_samples(int count, double noise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1);
  std::normal_distribution<double> chance(0, noise);
  std::vector<RemainderSample> samples;
  for (int i = 0; i < count; ++i) {
    RemainderSample sample;
    sample.traits.resize(9);
    for (double& trait : sample.traits) trait = 5 + place(random);
    sample.remainder = 0.05 * std::sin(2 * (sample.traits[0] - 5)) + chance(random);
    samples.push_back(sample);
  }
  return samples;
}

TEST(RemainderFit, LearnsWhatTheyShare) {
  const std::vector<RemainderSample> samples = wavy_samples(400, 0.005);
  const Remainder remainder = fit_remainder(samples);
  EXPECT_EQ(remainder.points.size(), samples.size());
  double before = 0;
  double after = 0;
  for (const RemainderSample& sample : wavy_samples(500, 0)) {
    before += std::abs(sample.remainder);
    after += std::abs(sample.remainder - expected_remainder(remainder, sample.traits));
  }
  EXPECT_LT(after, 0.4 * before);
}

TEST(RemainderFit, BelievesNoSingleOneMoreThanItsBound) {
  std::vector<RemainderSample> samples = wavy_samples(50, 0);
  for (RemainderSample& sample : samples) sample.remainder = 3;
  EXPECT_LE(expected_remainder(fit_remainder(samples), samples[0].traits), most_remainder);
}

TEST(RemainderFit, NeedsSamples) {
  EXPECT_THROW(fit_remainder({}), Error);
}

TEST(RemainderFit, TakesProductsAloneOfEachPrecisionWhereThereAreEnough) {
  const TrafficParameters parameters = example_parameters();
  std::vector<TrafficPoint> points;
  for (int i = 0; i < 60; ++i) {
    TrafficPoint point;
    point.schedule = single_step_schedule("SpMV");
    point.segment = example_case(10'000 * (i + 1));
    point.precision = i < 50 ? Precision::f64 : Precision::f32;
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, example_gpu(),
                               point.precision);
    point.seconds = 1.1 * pricer.price(parameters).seconds;
    points.push_back(point);
  }
  const auto remainders = fit_remainders(points, example_gpu(), parameters);
  ASSERT_EQ(remainders.size(), 1);
  ASSERT_EQ(remainders.at(Precision::f64).size(), 1);
  TrafficParameters with = parameters;
  with.remainders = remainders;
  const TrafficPoint& one = points[20];
  EXPECT_GT(traffic_error(one, example_gpu(), parameters), 0.09);
  EXPECT_LT(traffic_error(one, example_gpu(), with), 0.02);
}

TEST(RemainderFit, TakesIterationsAsGraphsBesideWhatTheirProductsLeave) {
  const TrafficParameters parameters = example_parameters();
  std::vector<TrafficPoint> points;
  for (int i = 0; i < 100; ++i) {
    TrafficPoint point;
    const bool product = i % 2 == 0;
    point.schedule = product ? single_step_schedule("SpMV") : fused_cg_schedule();
    point.segment = example_case(10'000 * (i / 2 + 1));
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, example_gpu(),
                               point.precision);
    point.seconds = (product ? 1.1 : 0.95) * pricer.price(parameters).seconds;
    points.push_back(point);
  }
  // Launched one by one they leave something else, of which there is too little to learn.
  points[1].launch = LaunchMode::plain;
  points[1].seconds *= 100;
  TrafficParameters with = parameters;
  with.remainders = fit_remainders(points, example_gpu(), parameters);
  const auto& groups = with.remainders.at(Precision::f64);
  EXPECT_EQ(groups.size(), 2);
  EXPECT_EQ(groups.at("csr").points.size(), 50);
  EXPECT_EQ(groups.at("iterations").points.size(), 49);
  const TrafficPoint& one = points[41];
  EXPECT_GT(traffic_error(one, example_gpu(), parameters), 0.05);
  EXPECT_LT(traffic_error(one, example_gpu(), with), 0.01);
}

}  // namespace
}  // namespace sparsecast
