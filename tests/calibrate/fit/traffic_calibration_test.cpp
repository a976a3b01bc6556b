#include "calibrate/fit/traffic_calibration.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace sparsecast {
namespace {

/// Every so many of the samples that a shipped profile was fitted to.
SampleFile some_samples(std::size_t every, const char* name = "nvidia-h200") {
  const std::filesystem::path profiles = SPARSECAST_SOURCE_DIR "/profiles";
  SampleFile file = read_samples(profiles / (std::string(name) + ".samples.csv"));
  std::vector<Sample> some;
  for (std::size_t i = 0; i < file.samples.size(); i += every) some.push_back(file.samples[i]);
  file.samples = std::move(some);
  return file;
}

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

TEST(TrafficCalibration, PassesOverWhatTheModelDoesNotPrice) {
  for (const Sample& sample : some_samples(7).samples) {
    const auto point = traffic_point(sample);
    if (sample.kernel == "Convert" || sample.kernel == "Upload" ||
        sample.kernel.starts_with("Load/") || !sample.exchange.empty()) {
      EXPECT_FALSE(point) << sample.kernel;
    } else if (sample.kernel == "Iteration") {
      ASSERT_TRUE(point) << sample.matrix;
      EXPECT_EQ(to_string(point->launch), sample.launch);
      EXPECT_EQ(point->seconds, sample.seconds);
    }
  }
}

TEST(TrafficCalibration, KeepsProductsOfAQuarterOfTheMatricesFromTheFit) {
  int products = 0;
  int held_out = 0;
  for (const Sample& sample : some_samples(1).samples) {
    if (sample.kernel != "SpMV") continue;
    ++products;
    held_out += is_held_out_of_traffic(sample) ? 1 : 0;
    if (sample.held_out) {
      EXPECT_TRUE(is_held_out_of_traffic(sample));
    }
  }
  EXPECT_GT(held_out, products / 8);
  EXPECT_LT(held_out, products / 2);
}

}  // namespace
}  // namespace sparsecast
