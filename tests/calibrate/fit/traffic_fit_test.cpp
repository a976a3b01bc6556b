#include "calibrate/fit/traffic_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "calibrate/profile_comparison.hpp"
#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "model/traffic/cpu_example.hpp"
#include "model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

TrafficPoint point_of(Schedule schedule, LaunchMode launch, const TrafficCase& segment) {
  TrafficPoint point;
  point.schedule = std::move(schedule);
  point.launch = launch;
  point.segment = segment;
  point.seconds = TrafficPricer(point.schedule, launch, segment, example_gpu(), point.precision)
                      .price(example_parameters())
                      .seconds;
  return point;
}

/// Times of the made-up GPU, each off by a random factor.
std::vector<TrafficPoint> points(double noise, unsigned seed = 11) {
  std::vector<TrafficPoint> all;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  for (double size = 1e3; size < 5e7; size *= 2.3) {
    const TrafficCase segment = example_case(static_cast<std::int64_t>(size));
    for (const char* kernel : {"CGResidual", "CGDirection", "SpMV", "SpMVDot"}) {
      all.push_back(point_of(single_step_schedule(kernel), LaunchMode::graph, segment));
    }
    for (const LaunchMode launch : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
      all.push_back(point_of(fused_cg_schedule(), launch, segment));
    }
    TrafficCase scattered = segment;
    scattered.pattern.sector_lookups = {};
    scattered.pattern.sector_lookups[20] = 4.75 * size;
    scattered.pattern.sector_lookups[33] = 0.25 * size;
    scattered.execution.product.loads.lines = 4.5 * size;
    all.push_back(point_of(single_step_schedule("SpMV"), LaunchMode::graph, scattered));
  }
  // Many lines, but few sectors behind them.
  for (double size = 1e3; size < 5e7; size *= 2.3) {
    TrafficCase repeated = example_case(static_cast<std::int64_t>(size));
    repeated.execution.product.loads.lines = 9 * size;
    all.push_back(point_of(single_step_schedule("SpMV"), LaunchMode::graph, repeated));
  }
  for (TrafficPoint& point : all) point.seconds *= std::exp(normal(random));
  return all;
}

TEST(TrafficFit, FindsTheParametersOfTimesThatFollowThem) {
  const auto exact = points(0);
  const TrafficFit fit = fit_traffic(exact, example_gpu());
  EXPECT_LT(fit.profile.median_error, 0.01);
  const TrafficParameters truth = example_parameters();
  const TrafficParameters& found = fit.profile.parameters;
  EXPECT_NEAR(found.device.memory_read_gbps / truth.device.memory_read_gbps, 1, 0.1);
  EXPECT_NEAR(found.device.plain_seconds / truth.device.plain_seconds, 1, 0.1);
  EXPECT_NEAR(found.device.wait_seconds / truth.device.wait_seconds, 1, 0.1);
  EXPECT_NEAR(found.kernels.at("vector").fixed_seconds, 1.6e-6, 1e-7);
  EXPECT_FALSE(found.kernels.contains("pass"));  // nothing was measured of it
}

/// What is learned from a fit's times, and what intervals are made of, is what a profile says.
TEST(TrafficFit, SaysNothingThatItsParametersDoNot) {
  TrafficParameters found = fit_traffic(points(0.02), example_gpu()).profile.parameters;
  TrafficParameters listed;
  for (const TrafficParameter& each : parameter_list(found)) add_parameter(listed, each.name);
  const std::vector<TrafficParameter> from = parameter_list(found);
  const std::vector<TrafficParameter> to = parameter_list(listed);
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) *to[i].value = *from[i].value;
  for (const char* kernel : {"SpMV", "SpMVDot", "CGResidual"}) {
    const Schedule schedule = single_step_schedule(kernel);
    const TrafficPricer pricer(schedule, LaunchMode::graph, example_case(1'000'000), example_gpu(),
                               Precision::f64);
    EXPECT_DOUBLE_EQ(pricer.price(found).seconds, pricer.price(listed).seconds) << kernel;
  }
}

/// Parameters of the made-up GPU with those of passes.
TrafficParameters parameters_with_passes() {
  TrafficParameters parameters = example_parameters();
  parameters.kernels["pass"] = {
      .fixed_seconds = 1.1e-6, .sum_seconds = 1.6e-6, .vector_seconds = 6e-8};
  parameters.passes = PassCosts{6e-7, 5e-7, 8e-7, 9e-8, 1.2e-7, 3e-8, 3e-7, 7e-8, 1e-6};
  return parameters;
}

TEST(TrafficFit, FindsWhatTheKernelsOfPassesEndWith) {
  std::vector<TrafficPoint> all = points(0);
  for (double size = 1e3; size < 5e7; size *= 2.3) {
    std::vector<Schedule> schedules{pass_pair_schedule(false), pass_pair_schedule(true),
                                    wide_pass_pair_schedule(false), wide_pass_pair_schedule(true)};
    for (const std::string_view name : pass_iteration_names()) {
      schedules.push_back(pass_iteration_schedule(name));
    }
    for (const Schedule& schedule : schedules) {
      TrafficPoint point = point_of(single_step_schedule("SpMV"), LaunchMode::graph,
                                    example_case(static_cast<std::int64_t>(size)));
      point.schedule = schedule;
      point.seconds =
          TrafficPricer(schedule, point.launch, point.segment, example_gpu(), point.precision)
              .price(parameters_with_passes())
              .seconds;
      all.push_back(std::move(point));
    }
  }
  const TrafficFit fit = fit_traffic(all, example_gpu());
  ASSERT_TRUE(fit.profile.parameters.passes);
  const PassCosts& costs = *fit.profile.parameters.passes;
  EXPECT_NEAR(costs.end_seconds, 6e-7, 6e-8);
  EXPECT_NEAR(costs.ticket_seconds, 5e-7, 5e-8);
  EXPECT_NEAR(costs.iteration_seconds, 8e-7, 8e-8);
  EXPECT_NEAR(costs.operation_seconds, 9e-8, 5e-9);
  EXPECT_NEAR(costs.interpreted_seconds, 1.2e-7, 6e-9);
  EXPECT_NEAR(costs.chain_seconds, 3e-8, 2e-9);
  EXPECT_NEAR(costs.sum_seconds, 3e-7, 2e-8);
  EXPECT_NEAR(costs.guard_seconds, 7e-8, 7e-9);
  EXPECT_NEAR(fit.profile.parameters.kernels.at("pass").vector_seconds, 6e-8, 6e-9);
  EXPECT_NEAR(costs.fetch_seconds, 1e-6, 5e-8);
  EXPECT_FALSE(fit_traffic(points(0), example_gpu()).profile.parameters.passes);
}

TEST(TrafficFit, LeavesOutWhatThePointsDoNotDetermine) {
  const auto noisy = points(0.02);
  TrafficFit fit = fit_determined(noisy, example_gpu());
  // All is in f64, in CSR: nothing tells values from entries, nor one precision from the other.
  EXPECT_FALSE(fit.profile.log_errors.contains("product/csr/double_pass"));
  EXPECT_EQ(fit.profile.parameters.products.at("csr").double_pass, 1);
  for (const auto& [name, error] : fit.profile.log_errors) EXPECT_LE(error, 0.5) << name;
  const auto mean_error = [&](const TrafficParameters& parameters) {
    double mean = 0;
    for (const TrafficPoint& point : noisy) {
      mean += traffic_error(point, example_gpu(), parameters) / static_cast<double>(noisy.size());
    }
    return mean;
  };
  const TrafficFit all = fit_traffic(noisy, example_gpu());
  EXPECT_LT(mean_error(fit.profile.parameters), 1.5 * mean_error(all.profile.parameters));
}

TEST(TrafficFit, PredictsThroughNoiseAndStatesIt) {
  const TrafficFit fit = fit_traffic(points(0.03), example_gpu());
  EXPECT_TRUE(fit.converged) << fit.message;
  for (const TrafficPoint& point : points(0)) {
    EXPECT_LT(traffic_error(point, example_gpu(), fit.profile.parameters), 0.1);
  }
  EXPECT_GT(fit.profile.log_errors.at("device/wait"), 0.001);
  EXPECT_LT(fit.profile.log_errors.at("device/wait"), 0.1);
}

/// A profile of the fit's parameters alone.
DeviceProfile profile_of(std::span<const TrafficPoint> measured) {
  DeviceProfile profile;
  profile.traffic = fit_traffic(measured, example_gpu()).profile;
  return profile;
}

TEST(TrafficFit, FindsTheSameWithinItsErrorsWhenMeasuredTwice) {
  const DeviceProfile first = profile_of(points(0.03, 1));
  for (const unsigned seed : {2u, 3u, 4u}) {
    const auto comparison = compare_profiles(first, profile_of(points(0.03, seed)));
    EXPECT_GT(comparison.size(), 15u);
    EXPECT_TRUE(agree(comparison)) << share_within(comparison, 2);
  }
}

TEST(TrafficFit, KeepsToWhereItBeganWhatNothingDependsOn) {
  // No library's product and no joined pieces are among the points.
  const TrafficFit fit = fit_traffic(points(0.01), example_gpu());
  for (const std::string& name : fit.at_bounds) {
    EXPECT_NE(name, "device/library");
    EXPECT_NE(name, "device/join");
  }
  EXPECT_NEAR(fit.profile.parameters.device.library_seconds, 3e-6, 3e-8);
  EXPECT_GT(fit.profile.log_errors.at("device/library"),
            20 * fit.profile.log_errors.at("device/wait"));
}

TEST(TrafficFit, TrustsNoOutliers) {
  const DeviceProfile clean = profile_of(points(0.03, 1));
  std::vector<TrafficPoint> disturbed = points(0.03, 2);
  for (std::size_t i = 7; i < disturbed.size(); i += 16) {
    disturbed[i].seconds *= i % 3 == 0 ? 10 : 2;
  }
  const auto comparison = compare_profiles(clean, profile_of(disturbed));
  EXPECT_TRUE(agree(comparison)) << share_within(comparison, 2);
}

TEST(TrafficFit, LeavesOutWhatItIsToldTo) {
  TrafficFitOptions options;
  options.without = {"sector"};
  const auto exact = points(0);
  const TrafficFit without = fit_traffic(exact, example_gpu(), options);
  EXPECT_LE(without.profile.parameters.device.sector_seconds, 1e-15);
  EXPECT_GT(without.profile.median_error, fit_traffic(exact, example_gpu()).profile.median_error);
}

/// Times of the made-up CPU.
std::vector<TrafficPoint> cpu_points() {
  std::vector<TrafficPoint> all;
  const auto add = [&](Schedule schedule, const TrafficCase& segment) {
    TrafficPoint point;
    point.schedule = std::move(schedule);
    point.segment = segment;
    point.seconds = TrafficPricer(point.schedule, point.launch, segment, {}, point.precision)
                        .price(example_cpu_parameters())
                        .seconds;
    all.push_back(std::move(point));
  };
  for (double size = 100; size < 1e7; size *= 1.9) {
    const TrafficCase segment =
        example_cpu_case(static_cast<std::int64_t>(size), size < 1000 ? 1 : 2);
    TrafficCase scattered = segment;
    scattered.pattern.sector_lookups = {};
    scattered.pattern.sector_lookups[static_cast<std::size_t>(std::log2(size))] = 4.75 * size;
    scattered.pattern.sector_lookups[33] = 0.25 * size;
    for (const char* kernel : {"CGResidual", "CGDirection", "CG3", "SpMV"}) {
      add(single_step_schedule(kernel), segment);
    }
    add(single_step_schedule("SpMV"), scattered);
    add(fused_cg_schedule(), segment);
    add(fused_cg_schedule(), scattered);
  }
  return all;
}

TEST(TrafficFit, FindsTheParametersOfACpu) {
  TrafficFitOptions options;
  options.without = {"cpu/thread"};
  const TrafficFit fit = fit_traffic(cpu_points(), {}, options);
  EXPECT_LT(fit.profile.median_error, 0.02);
  const TrafficParameters& found = fit.profile.parameters;
  ASSERT_TRUE(found.cpu);
  EXPECT_NEAR(found.cpu->wait_seconds / 5e-7, 1, 0.15);
  EXPECT_NEAR(found.cpu->memory_read_gbps / 30, 1, 0.1);
  EXPECT_NEAR(found.cpu->shared_bytes / 4e7, 1, 0.2);
  EXPECT_FALSE(fit.profile.log_errors.contains("cpu/thread"));
  EXPECT_FALSE(fit.profile.log_errors.contains("device/wait"));
}

TEST(TrafficFit, RefusesNoPoints) {
  EXPECT_THROW(fit_traffic({}, example_gpu()), Error);
}

/// A relative of the made-up GPU whose memory has other rates and whose products other costs.
TrafficProfile example_relative() {
  TrafficProfile relative;
  relative.parameters = example_parameters();
  for (const TrafficParameter& each : parameter_list(relative.parameters)) {
    relative.log_errors[each.name] = 0.05;
  }
  relative.parameters.device.memory_read_gbps *= 1.5;
  relative.parameters.device.wait_seconds /= 1.5;
  relative.parameters.products.at("csr").step_seconds *= 1.04;
  return relative;
}

TEST(TrafficFit, FindsDeviceConstantsBesideARelative) {
  const TrafficProfile relative = example_relative();
  TrafficFitOptions options;
  options.relative = &relative;
  const TrafficFit fit = fit_traffic(points(0), example_gpu(), options);
  ASSERT_TRUE(fit.converged) << fit.message;
  const TrafficParameters truth = example_parameters();
  const TrafficParameters& found = fit.profile.parameters;
  EXPECT_NEAR(found.device.memory_read_gbps / truth.device.memory_read_gbps, 1, 0.03);
  EXPECT_NEAR(found.device.wait_seconds / truth.device.wait_seconds, 1, 0.03);
  EXPECT_LT(fit.profile.median_error, 0.01);
}

TEST(TrafficFit, KeepsOfARelativeWhatNoPointDependsOn) {
  TrafficProfile relative = example_relative();
  relative.log_errors.erase("device/contention");
  TrafficFitOptions options;
  options.relative = &relative;
  const TrafficFit fit = fit_traffic(points(0.02), example_gpu(), options);
  // None of the points is a kernel for all iterations.
  EXPECT_DOUBLE_EQ(fit.profile.parameters.persistent->warp_seconds,
                   relative.parameters.persistent->warp_seconds);
  EXPECT_EQ(fit.profile.log_errors.at("persistent/warp"), 0.05);
  EXPECT_NE(fit.profile.log_errors.at("device/memory_read"), 0.05);
  // What the relative does not determine stays without effect.
  EXPECT_NEAR(fit.profile.parameters.device.contention, 1e-3, 1e-9);
  EXPECT_FALSE(fit.profile.log_errors.contains("device/contention"));
}

TEST(TrafficFit, BelievesARelativeOfKernelsMoreThanOfTheDevice) {
  const TrafficProfile relative = example_relative();
  TrafficFitOptions options;
  options.relative = &relative;
  // Too few points to tell one from the other.
  const std::vector<TrafficPoint> some = {points(0)[0], points(0)[2]};
  const TrafficFit fit = fit_traffic(some, example_gpu(), options);
  TrafficParameters before = relative.parameters;
  TrafficParameters after = fit.profile.parameters;
  const std::vector<TrafficParameter> old_list = parameter_list(before);
  const std::vector<TrafficParameter> new_list = parameter_list(after);
  ASSERT_EQ(old_list.size(), new_list.size());
  for (std::size_t i = 0; i < old_list.size(); ++i) {
    if (is_device_constant(old_list[i])) continue;
    EXPECT_LT(std::abs(std::log(*new_list[i].value / *old_list[i].value)), 0.1) << old_list[i].name;
  }
}

}  // namespace
}  // namespace sparsecast
