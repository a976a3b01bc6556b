#include "predict/counting/right_hand_side.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

TEST(RightHandSide, IsKnownByName) {
  EXPECT_EQ(named_right_hand_side("ones", 3), (std::vector<double>{1, 1, 1}));
  const auto random = named_right_hand_side("random", 1000);
  ASSERT_TRUE(random.has_value());
  EXPECT_EQ(random, named_right_hand_side("random", 1000));
  EXPECT_GE(std::ranges::min(*random), 0.5);
  EXPECT_LT(std::ranges::max(*random), 1.5);
  EXPECT_FALSE(named_right_hand_side("b.mtx", 3).has_value());
}

TEST(RightHandSide, IsTheSameOfRowsAlone) {
  for (const char* name : {"ones", "random"}) {
    const std::vector<double> whole = *named_right_hand_side(name, 2000);
    std::vector<double> parts;
    for (const auto& [begin, end] : {std::pair(0, 0), {0, 3}, {3, 700}, {700, 2000}}) {
      const std::vector<double> part = *named_right_hand_side(name, end - begin, begin);
      parts.insert(parts.end(), part.begin(), part.end());
    }
    EXPECT_EQ(parts, whole) << name;
  }
}

TEST(RightHandSide, IsTheColumnOfAFile) {
  const CsrMatrix<double> column{3, 1, {0, 1, 1, 2}, {0, 0}, {2.5, -1}};
  EXPECT_EQ(right_hand_side_of(column, 3, "b.mtx"), (std::vector<double>{2.5, 0, -1}));
  EXPECT_EQ(refusal_of([&] { right_hand_side_of(column, 4, "b.mtx"); }),
            "b.mtx: 3 rows and 1 columns; expected one column of 4 rows");
}

}  // namespace
}  // namespace sparsecast
