#include "calibrate/fit/traffic_calibration.hpp"

#include <gtest/gtest.h>

#include "calibrate/fit/shipped_samples.hpp"
#include "calibrate/fit/traffic_samples.hpp"

namespace sparsecast {
namespace {

TEST(TrafficCalibration, ExplainsRealMeasurements) {
  const auto calibration = calibrate_traffic(some_samples(5));
  ASSERT_TRUE(calibration);
  EXPECT_GT(calibration->fit.profile.samples, 400);
  EXPECT_GT(calibration->held_out, 100);
  EXPECT_LT(calibration->fit.profile.median_error, 0.06);
  EXPECT_LT(calibration->held_out_median_error, 0.08);
  // What data sheets and other programs say of this GPU: 4.8 TB/s of memory, 62.9 MB of L2.
  const DeviceCosts& device = calibration->fit.profile.parameters.device;
  EXPECT_GT(device.memory_read_gbps, 4000);
  EXPECT_LT(device.memory_read_gbps, 4900);
  EXPECT_GT(device.cache_bytes, 25e6);
  EXPECT_LT(device.cache_bytes, 63e6);
  EXPECT_TRUE(calibration->fit.profile.intervals.contains("iteration/0"));
}

TEST(TrafficCalibration, ParametersOfACpuTakeWhatTheIntervalsHoldOut) {
  const SampleFile file = some_samples(4, "amd-epyc-zen4-2cores");
  const auto calibration = calibrate_traffic(file);
  ASSERT_TRUE(calibration);
  EXPECT_GT(calibration->held_out, 100);
  EXPECT_TRUE(calibration->fit.profile.intervals.contains("iteration/0"));
  int fitted = 0;
  for (const Sample& sample : file.samples) {
    if (sample.trusted() && traffic_point(sample, 2)) ++fitted;
  }
  EXPECT_EQ(calibration->fit.profile.samples, fitted);
}

TEST(TrafficCalibration, IsForGpusOnly) {
  SampleFile file = some_samples(50);
  file.origin.kind = DeviceProfile::Kind::cpu;
  EXPECT_FALSE(calibrate_traffic(file));
}

}  // namespace
}  // namespace sparsecast
