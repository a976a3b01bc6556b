#include "calibrate/fit/interval_fit.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sparsecast {
namespace {

constexpr unsigned seed = 42;

TEST(Interval, IsTheOrderStatisticsOfSplitConformalPrediction) {
  std::vector<double> ratios;
  for (int i = 1; i <= 39; ++i) ratios.push_back(i);
  const auto interval = interval_of(ratios);
  ASSERT_TRUE(interval);
  EXPECT_FALSE(interval->assumed_log_normal);
  EXPECT_EQ(interval->ratios.low, 2);    // floor(0.05 * 40)
  EXPECT_EQ(interval->ratios.high, 38);  // ceil(0.95 * 40)
  EXPECT_EQ(interval->median, 20);
}

TEST(Interval, CoversNewRatiosAsOftenAsStated) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> ratio(0.1, 0.3);
  for (const int count : {8, 24}) {
    int inside = 0;
    constexpr int trials = 4000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> ratios;
      for (int i = 0; i < count; ++i) ratios.push_back(ratio(random));
      const auto interval = interval_of(ratios);
      const double next = ratio(random);
      inside += next >= interval->ratios.low && next <= interval->ratios.high;
    }
    EXPECT_GE(inside, 0.885 * trials) << count << " ratios, seed " << seed;
    EXPECT_LE(inside, 0.96 * trials) << count << " ratios, seed " << seed;
  }
}

TEST(Interval, IsNotGivenForTwoRatios) {
  EXPECT_FALSE(interval_of(std::vector<double>{1.0, 1.1}));
}

}  // namespace
}  // namespace sparsecast
