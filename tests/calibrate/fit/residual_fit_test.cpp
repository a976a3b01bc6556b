#include "calibrate/fit/residual_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

std::vector<ResidualSample> wavy_samples(int count, double noise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1);
  std::normal_distribution<double> chance(0, noise);
  std::vector<ResidualSample> samples;
  for (int i = 0; i < count; ++i) {
    ResidualSample sample;
    sample.traits.resize(9);
    for (double& trait : sample.traits) trait = 5 + place(random);
    sample.residual = 0.05 * std::sin(2 * (sample.traits[0] - 5)) + chance(random);
    sample.matrix = std::to_string(i / 2);
    samples.push_back(sample);
  }
  return samples;
}

TEST(ResidualFit, LearnsWhatTheyShare) {
  const std::vector<ResidualSample> samples = wavy_samples(400, 0.005);
  const Residual residual = fit_residual(samples, 40);
  EXPECT_EQ(residual.points.size(), 40);
  double before = 0;
  double after = 0;
  for (const ResidualSample& sample : wavy_samples(500, 0)) {
    before += std::abs(sample.residual);
    after += std::abs(sample.residual - known_residual(residual, sample.traits).expected);
  }
  EXPECT_LT(after, 0.4 * before);
}

TEST(ResidualFit, FindsWhichTraitMatters) {
  const Residual residual = fit_residual(wavy_samples(160, 0.005), 20);
  for (std::size_t trait = 1; trait < residual.range.size(); ++trait) {
    EXPECT_GT(residual.range[trait], 1.3 * residual.range[0]) << trait;
  }
}

TEST(ResidualFit, LetsNoSampleVouchForAnotherOfItsMatrix) {
  // Four of a matrix leave the same, whatever those like it leave: there is nothing to learn.
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-1, 1);
  std::vector<ResidualSample> samples;
  for (int matrix = 0; matrix < 60; ++matrix) {
    const double left = 0.1 * place(random);
    const double at = place(random);
    for (int i = 0; i < 4; ++i) {
      samples.push_back({{at, 1e-3 * place(random)}, left, std::to_string(matrix)});
    }
  }
  const Residual residual = fit_residual(samples, 100);
  double mean = 0;
  for (int i = 0; i < 200; ++i) {
    mean +=
        std::abs(known_residual(residual, {place(random), 1e-3 * place(random)}).expected) / 200;
  }
  EXPECT_LT(mean, 0.025);  // half of 0.05, what a matrix leaves in the mean
}

TEST(ResidualFit, BelievesNoSingleOneMoreThanItsBound) {
  std::vector<ResidualSample> samples = wavy_samples(50, 0);
  for (ResidualSample& sample : samples) sample.residual = 3;
  EXPECT_LE(known_residual(fit_residual(samples, 100), samples[0].traits).expected, most_residual);
}

TEST(ResidualFit, NeedsSamples) {
  EXPECT_THROW(fit_residual({}, 100), Error);
}

TEST(ResidualFit, TakesProductsOfBothPrecisionsTogether) {
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
  const auto residuals = fit_residuals(points, example_gpu(), parameters);
  ASSERT_EQ(residuals.size(), 1);
  EXPECT_EQ(residuals.at("products").points.size(), 60 / 8);
  TrafficParameters with = parameters;
  with.residuals = residuals;
  const TrafficPoint& one = points[20];
  EXPECT_GT(traffic_error(one, example_gpu(), parameters), 0.09);
  EXPECT_LT(traffic_error(one, example_gpu(), with), 0.02);
}

TEST(ResidualFit, TakesIterationsAsGraphsBesideWhatTheirProductsLeave) {
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
  with.residuals = fit_residuals(points, example_gpu(), parameters);
  const auto& groups = with.residuals;
  EXPECT_EQ(groups.size(), 2);
  EXPECT_EQ(groups.at("products").points.size(), 50 / 8);
  EXPECT_EQ(groups.at("iterations").points.size(), 49 / 8);
  const TrafficPoint& one = points[41];
  EXPECT_GT(traffic_error(one, example_gpu(), parameters), 0.05);
  EXPECT_LT(traffic_error(one, example_gpu(), with), 0.01);
}

TEST(ResidualFit, TakesKernelsForAllIterationsByThemselves) {
  const TrafficParameters parameters = example_parameters();
  std::vector<TrafficPoint> points;
  for (int i = 0; i < 80; ++i) {
    TrafficPoint point;
    point.schedule = fused_cg_schedule();
    point.launch = LaunchMode::persistent;
    point.segment = example_case(1'000 * (i + 1));
    point.segment.execution.persistent = {.blocks = 132,
                                          .threads = 128,
                                          .fits = true,
                                          .steps = 132.0 * (i + 1),
                                          .most_steps = i + 2.0,
                                          .resident_share = 1};
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, example_gpu(),
                               point.precision);
    point.seconds = 1.08 * pricer.price(parameters).seconds;
    point.matrix = std::to_string(i);
    points.push_back(point);
  }
  TrafficParameters with = parameters;
  with.residuals = fit_residuals(points, example_gpu(), parameters);
  ASSERT_EQ(with.residuals.size(), 1);
  EXPECT_EQ(with.residuals.at("persistent").points.size(), 80 / 8);
  const TrafficPoint one = points[41];
  EXPECT_GT(traffic_error(one, example_gpu(), parameters), 0.07);
  EXPECT_LT(traffic_error(one, example_gpu(), with), 0.02);
  // Of a kind that has no terms nothing is learned.
  points.push_back(one);
  points.back().segment.execution.persistent.block_size = 3;
  EXPECT_THROW(traffic_error(points.back(), example_gpu(), parameters), Error);
  const Residuals again = fit_residuals(points, example_gpu(), parameters);
  EXPECT_EQ(again.at("persistent").points.size(), 80 / 8);
  // By graph the same matrix is not like it.
  TrafficPoint graph = one;
  graph.launch = LaunchMode::graph;
  EXPECT_DOUBLE_EQ(traffic_error(graph, example_gpu(), parameters),
                   traffic_error(graph, example_gpu(), with));
}

}  // namespace
}  // namespace sparsecast
