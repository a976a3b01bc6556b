#include "model/estimate/estimated_profile.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "model/profile/profile_json.hpp"

namespace sparsecast {
namespace {

TEST(EstimatedProfile, FollowsEquationsFourAndFive) {
  const DeviceSpecification gtx280{"gtx280 estimate", 30, 1024, 141.7, 0};
  EXPECT_NEAR(estimated_mu(gtx280), 17.9, 0.01);
  EXPECT_NEAR(estimated_sigma(gtx280), 1.5, 1e-12);
  const DeviceSpecification h200{"h200 estimate", 132, 2048, 4800, 0};
  EXPECT_NEAR(estimated_mu(h200), 21.04, 0.005);
  EXPECT_NEAR(estimated_sigma(h200), 1.5, 1e-12);
}

TEST(EstimatedProfile, IsMarkedAndCanBeReadBack) {
  const DeviceProfile profile = estimated_profile({"h200", 132, 2048, 4800, 141'000'000'000});
  EXPECT_EQ(profile.origin, DeviceProfile::Origin::estimated);
  const DeviceProfile read = parse_profile(profile_to_json(profile), "h200");
  EXPECT_EQ(read.curve(Precision::f64, "SpMV/bcsr3").average.nu, 4800);
  EXPECT_EQ(read.curve(Precision::f32, "Red").average.nu, 4800);
  EXPECT_THROW(read.link(2), Error);
}

TEST(EstimatedProfile, NeedsPositiveNumbers) {
  EXPECT_THROW(estimated_profile({"none", 0, 2048, 4800, 0}), Error);
  EXPECT_THROW(estimated_profile({"none", 132, 0, 4800, 0}), Error);
  EXPECT_THROW(estimated_profile({"none", 132, 2048, 0, 0}), Error);
}

}  // namespace
}  // namespace sparsecast
