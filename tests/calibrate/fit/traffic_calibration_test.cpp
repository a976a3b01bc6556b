#include "calibrate/fit/traffic_calibration.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "calibrate/fit/shipped_samples.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/statistics.hpp"
#include "core/formats/registry.hpp"
#include "model/profile/profile_file.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

TEST(TrafficCalibration, ExplainsRealMeasurements) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const auto calibration = calibrate_traffic(some_samples(10));
  ASSERT_TRUE(calibration);
  EXPECT_GT(calibration->fit.profile.samples, 300);
  EXPECT_GT(calibration->held_out, 50);
  EXPECT_LT(calibration->fit.profile.median_error, 0.06);
  EXPECT_LT(calibration->held_out_median_error, 0.08);
  // What data sheets and other programs say of this GPU: 4.8 TB/s of memory, 62.9 MB of L2.
  const DeviceCosts& device = calibration->fit.profile.parameters.device;
  EXPECT_GT(device.memory_read_gbps, 4000);
  EXPECT_LT(device.memory_read_gbps, 4900);
  EXPECT_GT(device.cache_bytes, 25e6);
  EXPECT_LT(device.cache_bytes, 63e6);
  EXPECT_TRUE(calibration->fit.profile.intervals.contains("step/0"));
  // Of all families, those in the fit too: each was left out once.
  int forecast = 0;
  for (const auto& [key, ratios] : calibration->fit.profile.intervals) forecast += ratios.samples;
  EXPECT_GT(forecast, 2 * calibration->held_out);
  // What was held out from constants teaches the residual model.
  const auto without = fit_samples(some_samples(10));
  const auto& known = calibration->fit.profile.parameters.residuals;
  const auto& known_without = without->profile.parameters.residuals;
  EXPECT_GT(known.at("iterations").points.size(), known_without.at("iterations").points.size());
  EXPECT_GT(known.at("persistent").points.size(), 4);
  EXPECT_EQ(calibration->fit.profile.log_errors, without->profile.log_errors);
}

TEST(TrafficCalibration, OfAnotherFormatLeavesWhatTheDeviceTakesAsItIs) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  // All of it in diagonals, and some of CSR, of blocks and without a matrix.
  SampleFile with = some_samples(1);
  std::size_t number = 0;
  std::erase_if(with.samples, [&](const Sample& sample) {
    if (sample.layout == "dia") return false;
    const bool other = !sample.layout.empty() && !is_csr_or_blocks(parse_layout(sample.layout));
    return other || number++ % 9 != 0;
  });
  SampleFile without = with;
  std::erase_if(without.samples, [](const Sample& sample) { return sample.layout == "dia"; });
  const auto device = fit_samples(without);
  const auto all = fit_samples(with);
  ASSERT_TRUE(device && all);
  TrafficParameters alone = device->profile.parameters;
  TrafficParameters together = all->profile.parameters;
  EXPECT_FALSE(alone.products.contains("dia"));
  for (const char* kind : {"dia", "dia-few-rows", "dia-few-rows-many-diagonals"}) {
    EXPECT_TRUE(together.products.contains(kind)) << kind;
  }
  std::map<std::string, double> values;
  for (const TrafficParameter& each : parameter_list(together)) values[each.name] = *each.value;
  for (const TrafficParameter& each : parameter_list(alone)) {
    EXPECT_NEAR(values.at(each.name), *each.value, 1e-12 * *each.value) << each.name;
  }
  EXPECT_GT(values.size(), parameter_list(alone).size());
  // What was learned of them is of a group of its own.
  EXPECT_TRUE(together.residuals.contains("products-dia"));
  EXPECT_TRUE(together.residuals.contains("iterations-dia"));
  EXPECT_GT(all->profile.samples, device->profile.samples + 300);
}

TEST(TrafficCalibration, OfDiagonalsForecastsGridsThatWereHeldOut) {
  const SampleFile file = some_samples(1);
  const auto mean_error = [&file](const char* model) {
    const DeviceProfile profile = read_profile("nvidia-h200").for_model(model);
    std::vector<double> errors;
    for (const Sample& sample : file.samples) {
      if (sample.layout != "dia" || !sample.held_out) continue;
      const auto point = traffic_point(sample, 0);
      EXPECT_TRUE(point);
      errors.push_back(traffic_error(*point, profile.traffic->gpu, profile.traffic->parameters));
    }
    EXPECT_GE(errors.size(), 60U);
    return mean(errors);
  };
  // No constant was fitted to them; the residual model has seen them. Several grids side by side
  // are what the terms are off at most: 24 of the 61.
  EXPECT_LT(mean_error("traffic"), 0.07);
  EXPECT_LT(mean_error("hybrid"), 0.035);
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
