#include "calibrate/fit/family_errors.hpp"
#include "calibrate/fit/traffic_samples.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "calibrate/fit/shipped_samples.hpp"
#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(FamilyErrors, AreOfMatricesThatTheFitHasNotSeen) {
  SampleFile file = some_samples(12, "amd-epyc-zen4-2cores");
  // What takes three times as long is not forecast by the others.
  for (Sample& sample : file.samples) {
    if (family_of(sample.matrix) == "random") sample.seconds *= 3;
  }
  std::vector<double> shares;
  const std::vector<FamilyErrors> lines =
      leave_families_out(file, {}, [&shares](double share) { shares.push_back(share); });
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines.back().family, "all");
  EXPECT_EQ(shares.size() + 1, lines.size());
  EXPECT_NEAR(shares.back(), 1, 1e-9);
  std::size_t products = 0;
  for (const FamilyErrors& each : lines) {
    if (each.family != "all") products += each.products.matrices;
    if (each.family == "random") {
      EXPECT_GT(each.products.mean, 0.5);
      EXPECT_GT(each.regression_products.mean, 0.4);
    }
  }
  EXPECT_EQ(lines.back().products.matrices, products);
  EXPECT_GT(lines.back().regression_products.matrices, products / 3);
  EXPECT_LE(lines.back().regression_products.matrices, products);
}

TEST(FamilyErrors, NeedTwoFamilies) {
  SampleFile file = some_samples(12, "amd-epyc-zen4-2cores");
  std::erase_if(file.samples, [](const Sample& sample) {
    return !sample.matrix.empty() && family_of(sample.matrix) != "random";
  });
  EXPECT_THROW(leave_families_out(file), Error);
}

}  // namespace
}  // namespace sparsecast
