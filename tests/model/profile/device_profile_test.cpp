#include "model/profile/device_profile.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "model/profile/full_profile.hpp"

namespace sparsecast {
namespace {

TEST(DeviceProfile, UsesTheLinkOfTheNearestNumberOfDevices) {
  DeviceProfile profile = full_profile();
  profile.links[8] = profile.links[2];
  profile.links[2].sync_seconds = 2;
  profile.links[8].sync_seconds = 8;
  EXPECT_EQ(profile.link(2).sync_seconds, 2);
  EXPECT_EQ(profile.link(4).sync_seconds, 2);
  EXPECT_EQ(profile.link(5).sync_seconds, 2);
  EXPECT_EQ(profile.link(6).sync_seconds, 8);
  EXPECT_EQ(profile.link(16).sync_seconds, 8);
}

TEST(DeviceProfile, HasTheRatiosOfTheNumberOfDevicesWhoseLinkStandsForTheirs) {
  DeviceProfile profile = full_profile();
  EXPECT_EQ(profile.iteration_ratios(Precision::f64, "bcsr4", 1)->high, 1.3);
  EXPECT_EQ(profile.iteration_ratios(Precision::f64, "bcsr4", 2)->high, 1.4);
  EXPECT_EQ(profile.iteration_ratios(Precision::f64, "bcsr4", 8)->high, 1.4);
  EXPECT_EQ(profile.iteration_ratios(Precision::f64, "csr", 2), nullptr);
  profile.precisions[Precision::f64].intervals.erase("bcsr4/2");
  EXPECT_EQ(profile.iteration_ratios(Precision::f64, "bcsr4", 2)->high, 1.3);
  EXPECT_THROW(profile.iteration_ratios(Precision::f32, "bcsr4", 1), Error);
}

TEST(DeviceProfile, WithoutCacheIsForThePaperModel) {
  DeviceProfile profile;
  profile.precisions[Precision::f64].intervals["csr"] = {0.9, 1.1, 20};
  EXPECT_EQ(profile.model(), "paper");
  EXPECT_EQ(profile.for_paper_model().precisions[Precision::f64].intervals.size(), 1u);
  profile.cache = CacheEffect{32e6, 2};
  EXPECT_EQ(profile.model(), "cache");
  const DeviceProfile paper = profile.for_paper_model();
  EXPECT_EQ(paper.model(), "paper");
  EXPECT_TRUE(paper.precisions.at(Precision::f64).intervals.empty());
}

TEST(DeviceProfile, OfTheTermsAloneHasTheirIntervals) {
  DeviceProfile profile;
  profile.traffic.emplace();
  profile.traffic->parameters.residuals["products"];
  profile.traffic->intervals["iteration/0"] = {0.95, 1.05, 40};
  profile.traffic->physical_intervals["iteration/0"] = {0.9, 1.1, 40};
  EXPECT_EQ(profile.for_model("hybrid").traffic->intervals.at("iteration/0").low, 0.95);
  const DeviceProfile physical = profile.for_model("traffic");
  EXPECT_EQ(physical.model(), "traffic");
  EXPECT_EQ(physical.traffic->intervals.at("iteration/0").low, 0.9);
}

}  // namespace
}  // namespace sparsecast
