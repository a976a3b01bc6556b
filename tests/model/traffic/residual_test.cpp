#include "model/traffic/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

constexpr auto trait_count = static_cast<std::size_t>(ProductTrait::count);

Residual two_products() {
  Residual residual;
  residual.mean.assign(trait_count, 3);
  residual.range.assign(trait_count, 2);
  Traits other(trait_count);
  other[0] = 10;
  residual.points = {{Traits(trait_count), 0.05}, {other, -0.08}};
  return residual;
}

TEST(Residual, IsThatOfProductsLikeIt) {
  Traits traits(trait_count, 3);
  EXPECT_NEAR(known_residual(two_products(), traits).expected, 0.05, 1e-6);
  traits[0] = 3 + 2 * 10;
  EXPECT_NEAR(known_residual(two_products(), traits).expected, -0.08, 1e-6);
  traits[0] = 3 + 2;
  EXPECT_NEAR(known_residual(two_products(), traits).expected, 0.05 * std::exp(-0.5), 1e-4);
}

TEST(Residual, IsNothingForProductsLikeNone) {
  const Traits traits(trait_count, 100);
  EXPECT_EQ(known_residual(two_products(), traits).expected, 0);
  EXPECT_EQ(known_residual({}, traits).expected, 0);
}

TEST(Residual, IsBounded) {
  Residual residual = two_products();
  residual.points[0].weight = 5;
  const Traits traits(trait_count, 3);
  EXPECT_EQ(known_residual(residual, traits).expected, most_residual);
}

}  // namespace
}  // namespace sparsecast
