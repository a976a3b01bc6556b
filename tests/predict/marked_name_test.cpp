#include "predict/marked_name.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(MarkedName, SaysThatNobodyHasMeasuredADevice) {
  DeviceProfile profile;
  profile.name = "h100-pcie";
  EXPECT_EQ(marked_name(profile), "h100-pcie");
  profile.origin = DeviceProfile::Origin::estimated;
  EXPECT_EQ(marked_name(profile), "h100-pcie (estimated)");

  Prediction prediction;
  prediction.profile = "h20";
  EXPECT_EQ(marked_name(prediction), "h20");
  prediction.estimated = true;
  EXPECT_EQ(marked_name(prediction), "h20 (estimated)");
}

}  // namespace
}  // namespace sparsecast
