#include "core/base/threads/split_by_weight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(SplitByWeight, ExceedsTheIdealShareByAtMostTheLargestWeight) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int items : {1, 2, 10, 1000}) {
    std::vector<std::int64_t> cumulative{0};
    std::int64_t largest = 0;
    for (int i = 0; i < items; ++i) {
      const std::int64_t weight = random() % 5 == 0 ? 0 : random() % 1000;
      largest = std::max(largest, weight);
      cumulative.push_back(cumulative.back() + weight);
    }
    for (int parts : {1, 2, 3, 7, 16}) {
      const auto boundaries = split_by_weight(cumulative, parts);
      ASSERT_EQ(boundaries.size(), static_cast<std::size_t>(parts) + 1);
      EXPECT_EQ(boundaries.front(), 0);
      EXPECT_EQ(boundaries.back(), items);
      for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
        ASSERT_LE(boundaries[k], boundaries[k + 1]);
        const std::int64_t weight = cumulative[static_cast<std::size_t>(boundaries[k + 1])] -
                                    cumulative[static_cast<std::size_t>(boundaries[k])];
        EXPECT_LE(weight, cumulative.back() / parts + 1 + largest);
      }
    }
  }
}

TEST(SplitByWeight, CutsEqualWeightsEvenly) {
  std::vector<std::int64_t> cumulative;
  for (std::int64_t i = 0; i <= 12; ++i) cumulative.push_back(100 + 5 * i);
  EXPECT_EQ(split_by_weight(cumulative, 4), (std::vector<std::int64_t>{0, 3, 6, 9, 12}));
}

TEST(SplitByWeight, RefusesNoParts) {
  const std::vector<std::int64_t> cumulative{0, 1};
  EXPECT_THROW(split_by_weight(cumulative, 0), Error);
}

}  // namespace
}  // namespace sparsecast
