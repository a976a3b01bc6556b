#include "model/traffic/remainder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

constexpr std::size_t trait_count = 9;

Remainder two_products() {
  Remainder remainder;
  remainder.mean.assign(trait_count, 3);
  remainder.deviation.assign(trait_count, 2);
  Traits other(trait_count);
  other[0] = 10;
  remainder.points = {{Traits(trait_count), 0.05}, {other, -0.08}};
  return remainder;
}

TEST(Remainder, IsThatOfProductsLikeIt) {
  Traits traits(trait_count, 3);
  EXPECT_NEAR(expected_remainder(two_products(), traits), 0.05, 1e-6);
  traits[0] = 3 + 2 * 10;
  EXPECT_NEAR(expected_remainder(two_products(), traits), -0.08, 1e-6);
  traits[0] = 3 + 2 * remainder_range(trait_count);
  EXPECT_NEAR(expected_remainder(two_products(), traits), 0.05 * std::exp(-0.5), 1e-4);
}

TEST(Remainder, IsNothingForProductsLikeNone) {
  const Traits traits(trait_count, 100);
  EXPECT_EQ(expected_remainder(two_products(), traits), 0);
  EXPECT_EQ(expected_remainder({}, traits), 0);
}

TEST(Remainder, ReachesFurtherWithMoreTraits) {
  const Traits near(4, 0.5);
  const Traits far(4, -0.5);
  EXPECT_DOUBLE_EQ(likeness(near, far), likeness(Traits(9, 0.5), Traits(9, -0.5)));
  EXPECT_NEAR(remainder_range(3), 1, 1e-12);
}

TEST(Remainder, IsBounded) {
  Remainder remainder = two_products();
  remainder.points[0].weight = 5;
  const Traits traits(trait_count, 3);
  EXPECT_EQ(expected_remainder(remainder, traits), most_remainder);
}

}  // namespace
}  // namespace sparsecast
