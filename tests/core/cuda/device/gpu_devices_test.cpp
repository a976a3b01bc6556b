#include "core/cuda/device/gpu_devices.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(ThrottleReasons, NameWhatHoldsTheClockDown) {
  EXPECT_EQ(throttle_reasons_of(0x4), "power_cap");
  EXPECT_EQ(throttle_reasons_of(0x24), "power_cap+thermal");
}

TEST(ThrottleReasons, AreNoneWhenIdleOrSetByTheUser) {
  EXPECT_EQ(throttle_reasons_of(0), "");
  EXPECT_EQ(throttle_reasons_of(0x1), "");
  EXPECT_EQ(throttle_reasons_of(0x2), "");
}

TEST(GpuMonitor, KnowsNothingOfAGpuThatIsNotThere) {
  const GpuMonitor monitor(99);
  EXPECT_EQ(monitor.state().core_clock_hertz, 0);
  EXPECT_EQ(monitor.state().throttle_reasons, "");
}

}  // namespace
}  // namespace sparsecast
