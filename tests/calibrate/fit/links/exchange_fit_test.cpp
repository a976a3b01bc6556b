#include "calibrate/fit/links/exchange_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/random_stream.hpp"

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

TEST(ExchangeFit, FindsTheCostsThatPointsWereMadeOf) {
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

TEST(ExchangeFit, OutliersDoNotMoveIt) {
  std::vector<LinkPoint> points = made_up_points();
  points[5].seconds *= 3;
  points[20].seconds *= 2;
  double sums = sum_seconds;
  const auto costs = fit_exchange(points, sums);
  ASSERT_TRUE(costs.has_value());
  EXPECT_NEAR(costs->fixed_seconds.value, fixed_seconds, 0.2 * fixed_seconds);
  EXPECT_NEAR(costs->gbps.value, 300, 30);
}

TEST(ExchangeFit, SumsThatWouldTakeLongerThanMeasuredAreShortened) {
  double sums = 1e-4;
  const auto costs = fit_exchange(made_up_points(), sums);
  ASSERT_TRUE(costs.has_value());
  EXPECT_NEAR(2 * sums, 2 * sum_seconds + fixed_seconds, 1e-6);
  EXPECT_GE(costs->fixed_seconds.value, 0);
}

TEST(ExchangeFit, AFewPointsSayNothing) {
  double sums = sum_seconds;
  const std::vector<LinkPoint> points = made_up_points();
  EXPECT_FALSE(fit_exchange(std::span(points).first(5), sums).has_value());
}

}  // namespace
}  // namespace sparsecast
