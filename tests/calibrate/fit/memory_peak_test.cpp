#include "calibrate/fit/memory_peak.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(MemoryPeak, IsTwoTransfersAClockOfTheBus) {
  SampleOrigin origin;
  origin.environment = {{"memory_clock_mhz", "3201"}, {"memory_bus_bits", "6016"}};
  EXPECT_NEAR(memory_peak_gbps(origin), 4814.3, 0.01);
}

TEST(MemoryPeak, IsUnknownWhereSamplesDoNotStateClockAndBus) {
  SampleOrigin origin;
  EXPECT_EQ(memory_peak_gbps(origin), 0);
  origin.environment = {{"memory_clock_mhz", "3201"}};
  EXPECT_EQ(memory_peak_gbps(origin), 0);
}

}  // namespace
}  // namespace sparsecast
