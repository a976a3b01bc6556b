#include "core/base/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sparsecast {
namespace {

TEST(Statistics, OfFewNumbers) {
  const std::vector<double> values{4, 1, 7};

  EXPECT_DOUBLE_EQ(mean(values), 4);
  EXPECT_DOUBLE_EQ(sample_variance(values), 9);
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1.0 / 3), 1);
  EXPECT_EQ(quantile(values, 0.5), 4);
  EXPECT_EQ(quantile(values, 0.95), 7);
}

TEST(Statistics, OfNoneAreNothing) {
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(sample_variance(std::vector<double>{3}), 0);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace sparsecast
