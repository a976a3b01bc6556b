#include "model/traffic/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

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

TEST(ResidualSection, KnowsOfEachCaseWhatTheResidualDoes) {
  const std::uint32_t seed = 20261127;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::normal_distribution<double> apart(0, 1.5);
  std::uniform_real_distribution<double> weight(-0.05, 0.05);
  const auto traits = [&] {
    Traits made(trait_count);
    for (double& each : made) each = apart(random);
    return made;
  };
  Residual residual;
  residual.mean = traits();
  residual.range.assign(trait_count, 1.25);
  for (int point = 0; point < 150; ++point) residual.points.push_back({traits(), weight(random)});
  for (const std::size_t varied : {std::size_t{0}, trait_count / 2, trait_count - 1}) {
    Traits place = traits();
    const ResidualSection section(residual, place, varied);
    for (int place_on_it = 0; place_on_it < 20; ++place_on_it) {
      place[varied] = apart(random);
      const KnownResidual expected = known_residual(residual, place);
      const KnownResidual known = section.at(place[varied]);
      EXPECT_EQ(known.expected, expected.expected);
      EXPECT_EQ(known.likeness, expected.likeness);
    }
  }
}

TEST(ResidualSection, OfAResidualWithoutPointsKnowsNothing) {
  EXPECT_EQ(ResidualSection({}, Traits(trait_count), 4).at(1).expected, 0);
}

}  // namespace
}  // namespace sparsecast
