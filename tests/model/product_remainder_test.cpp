#include "model/product_remainder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

ProductRemainder two_products() {
  ProductRemainder remainder;
  remainder.mean.fill(3);
  remainder.deviation.fill(2);
  ProductTraits other{};
  other[0] = 10;
  remainder.points = {{{}, 0.05}, {other, -0.08}};
  return remainder;
}

TEST(ProductRemainder, IsThatOfProductsLikeIt) {
  ProductTraits traits;
  traits.fill(3);
  EXPECT_NEAR(expected_remainder(two_products(), traits), 0.05, 1e-6);
  traits[0] = 3 + 2 * 10;
  EXPECT_NEAR(expected_remainder(two_products(), traits), -0.08, 1e-6);
  traits[0] = 3 + 2 * remainder_range;
  EXPECT_NEAR(expected_remainder(two_products(), traits), 0.05 * std::exp(-0.5), 1e-4);
}

TEST(ProductRemainder, IsNothingForProductsLikeNone) {
  ProductTraits traits;
  traits.fill(100);
  EXPECT_EQ(expected_remainder(two_products(), traits), 0);
  EXPECT_EQ(expected_remainder({}, traits), 0);
}

TEST(ProductRemainder, IsBounded) {
  ProductRemainder remainder = two_products();
  remainder.points[0].weight = 5;
  ProductTraits traits;
  traits.fill(3);
  EXPECT_EQ(expected_remainder(remainder, traits), most_remainder);
}

}  // namespace
}  // namespace sparsecast
