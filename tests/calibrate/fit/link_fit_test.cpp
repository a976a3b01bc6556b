#include "calibrate/fit/link_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/random_stream.hpp"
#include "core/workload/exchange_mode.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

constexpr double sum_seconds = 2.5e-6;
constexpr double fixed_seconds = 4e-6;
constexpr double bytes_per_second = 3e11;
constexpr double hidden = 0.6;

/// Iterations whose halo grows from nothing to what takes longer than they, some without interior.
std::vector<LinkPoint> made_up_points() {
  RandomStream random(17, 3);
  std::vector<LinkPoint> points;
  for (int i = 0; i < 40; ++i) {
    LinkPoint point;
    point.bytes = 100 * std::pow(10, 5.5 * i / 39);
    point.interior_seconds = i % 3 == 0 ? 0 : 1e-6 * std::pow(10, 2 * random.uniform());
    point.alone_seconds = 1e-5 + 2 * point.interior_seconds;
    const double exposed =
        std::max(0.0, point.bytes / bytes_per_second - hidden * point.interior_seconds);
    point.seconds = point.alone_seconds + 2 * sum_seconds + fixed_seconds + exposed;
    point.seconds *= 1 + 0.004 * (random.uniform() - 0.5);
    point.noise_seconds = 0.002 * point.seconds;
    points.push_back(point);
  }
  return points;
}

TEST(LinkFit, FindsTheCostsThatPointsWereMadeOf) {
  double sums = sum_seconds;
  const auto costs = fit_exchange(made_up_points(), sums);
  ASSERT_TRUE(costs.has_value());
  EXPECT_DOUBLE_EQ(sums, sum_seconds);
  EXPECT_NEAR(costs->fixed_seconds.value, fixed_seconds, 0.1 * fixed_seconds);
  EXPECT_NEAR(costs->gbps.value, 300, 15);
  EXPECT_NEAR(costs->hidden.value, hidden, 0.1);
  EXPECT_LT(costs->fixed_seconds.error, 0.1 * fixed_seconds);
  EXPECT_GT(costs->gbps.error, 0);
}

TEST(LinkFit, OutliersDoNotMoveIt) {
  std::vector<LinkPoint> points = made_up_points();
  points[5].seconds *= 3;
  points[20].seconds *= 2;
  double sums = sum_seconds;
  const auto costs = fit_exchange(points, sums);
  ASSERT_TRUE(costs.has_value());
  EXPECT_NEAR(costs->fixed_seconds.value, fixed_seconds, 0.2 * fixed_seconds);
  EXPECT_NEAR(costs->gbps.value, 300, 30);
}

TEST(LinkFit, SumsThatWouldTakeLongerThanMeasuredAreShortened) {
  double sums = 1e-4;
  const auto costs = fit_exchange(made_up_points(), sums);
  ASSERT_TRUE(costs.has_value());
  EXPECT_NEAR(2 * sums, 2 * sum_seconds + fixed_seconds, 1e-6);
  EXPECT_GE(costs->fixed_seconds.value, 0);
}

TEST(LinkFit, AFewPointsSayNothing) {
  double sums = sum_seconds;
  const std::vector<LinkPoint> points = made_up_points();
  EXPECT_FALSE(fit_exchange(std::span(points).first(5), sums).has_value());
}

Sample sample_of(const char* kernel, int devices, double unknowns, double seconds,
                 std::string_view exchange) {
  Sample sample;
  sample.kernel = kernel;
  sample.launch = "graph";
  sample.devices = devices;
  sample.exchange = exchange;
  sample.shape.unknowns = unknowns;
  sample.elements = unknowns / 2;
  sample.seconds = seconds;
  sample.stable = true;
  sample.repeats = sample.rounds = 5;
  return sample;
}

TEST(LinkFit, CurvesOfExchangesAloneFollowTheirLaw) {
  std::vector<Sample> samples;
  for (int i = 0; i < 12; ++i) {
    const double x = 1e3 * std::pow(10, 0.4 * i);
    samples.push_back(sample_of("Exchange", 2, x, 8e-6 + 8 * x / 2 / 3e11, "peer"));
  }
  samples.push_back(sample_of("Barrier", 2, 64, 3e-6, "peer"));
  const GpuLinks links = fit_gpu_links(samples, std::nullopt);
  ASSERT_TRUE(links.links.contains(2));
  const Link& link = links.links.at(2);
  EXPECT_EQ(link.law, ExchangeLaw::ingress);
  EXPECT_NEAR(link.exchange.average.nu, 300, 15);
  EXPECT_DOUBLE_EQ(link.sync_seconds, 3e-6);
  EXPECT_TRUE(link.curves.contains("f64/peer"));
  EXPECT_FALSE(link.curves.contains("f64/staged"));
  EXPECT_FALSE(link.costs.has_value());
}

TEST(LinkFit, OfTheShippedSamplesIsTheShippedLink) {
  const std::filesystem::path profiles = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles";
  const DeviceProfile profile = read_profile((profiles / "nvidia-h200.json").string());
  const SampleFile file = read_samples(profiles / "nvidia-h200.samples.csv");
  const GpuLinks fitted = fit_gpu_links(file.samples, profile.traffic);
  const LinkCosts& expected = profile.link(2).costs.value();
  const LinkCosts& costs = fitted.links.at(2).costs.value();
  EXPECT_NEAR(costs.sum_seconds.value, expected.sum_seconds.value, 1e-9);
  for (const auto& [mode, of_mode] : expected.exchanges) {
    const ExchangeCosts& again = costs.exchanges.at(mode);
    EXPECT_NEAR(again.gbps.value, of_mode.gbps.value, 0.05 * of_mode.gbps.value) << to_string(mode);
    EXPECT_NEAR(again.fixed_seconds.value, of_mode.fixed_seconds.value,
                0.05 * of_mode.fixed_seconds.value)
        << to_string(mode);
  }
  EXPECT_NE(fitted.full().find("links of 2 GPUs"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
