#include "calibrate/fit/relative_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "calibrate/fit/shipped_samples.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/refusal.hpp"
#include "model/estimate/relative_profile.hpp"
#include "model/profile/profile_file.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

DeviceProfile shipped(const std::string& name) {
  return read_profile(std::string(SPARSECAST_SOURCE_DIR) + "/profiles/" + name + ".json");
}

/// Of the H200's samples every twelfth.
const SampleFile& some() {
  static const SampleFile file = some_samples(12);
  return file;
}

double mean_error(const DeviceProfile& profile, const SampleFile& file) {
  double sum = 0;
  int count = 0;
  for (const Sample& sample : file.samples) {
    const std::optional<TrafficPoint> point =
        sample.trusted() ? traffic_point(sample) : std::nullopt;
    if (!point) continue;
    sum += traffic_error(*point, profile.traffic->gpu, profile.traffic->parameters);
    ++count;
  }
  EXPECT_GT(count, 100);
  return sum / count;
}

TEST(RelativeFit, ForecastsWhatItDidNotSeeBetterThanDataSheetsAlone) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const DeviceProfile h100 = shipped("nvidia-h100");
  const ProfileFit fit = fit_like(some(), h100, "mine");
  SampleFile others = some_samples(7);
  std::erase_if(others.samples, [](const Sample& sample) {
    return std::ranges::any_of(some().samples, [&sample](const Sample& each) {
      return sample_id(each) == sample_id(sample);
    });
  });
  const DeviceProfile estimate = relative_profile(h100, data_sheet("h200"), "estimate");
  EXPECT_LT(mean_error(fit.profile, others), 0.85 * mean_error(estimate, others));
}

TEST(RelativeFit, FindsTheConstantsThatTheDevicesOwnCalibrationHas) {
  const DeviceProfile profile = fit_like(some(), shipped("nvidia-h100"), "mine").profile;
  const DeviceCosts own = shipped("nvidia-h200").traffic->parameters.device;
  const DeviceCosts& found = profile.traffic->parameters.device;
  EXPECT_NEAR(found.memory_read_gbps / own.memory_read_gbps, 1, 0.1);
  EXPECT_NEAR(found.cache_bytes / own.cache_bytes, 1, 0.1);
  EXPECT_NEAR(found.plain_seconds / own.plain_seconds, 1, 0.2);
  EXPECT_LE(found.memory_read_gbps, 4814.4);  // what its bus can deliver
}

TEST(RelativeFit, SaysWhatIsTheRelatives) {
  const DeviceProfile h100 = shipped("nvidia-h100");
  const ProfileFit fit = fit_like(some(), h100, "mine");
  EXPECT_EQ(fit.profile.name, "mine");
  EXPECT_EQ(fit.profile.origin, DeviceProfile::Origin::measured_in_part);
  EXPECT_EQ(fit.profile.estimated->like, "nvidia-h100");
  EXPECT_EQ(fit.profile.device, some().origin.device);
  const TrafficProfile& traffic = *fit.profile.traffic;
  EXPECT_EQ(traffic.layouts, h100.traffic->layouts);
  EXPECT_EQ(traffic.gpu.l2_bytes, 62914560);
  ASSERT_EQ(traffic.parameters.residuals.size(), h100.traffic->parameters.residuals.size());
  for (const auto& [group, residual] : h100.traffic->parameters.residuals) {
    EXPECT_EQ(traffic.parameters.residuals.at(group).points.size(), residual.points.size());
  }
  for (const auto& [key, ratios] : h100.traffic->intervals) {
    EXPECT_LE(traffic.intervals.at(key).low, ratios.low) << key;
    EXPECT_GE(traffic.intervals.at(key).high, ratios.high) << key;
  }
  EXPECT_GT(traffic.samples, 100);
}

TEST(RelativeFit, LeavesOutKernelsThatTheRelativeDoesNotHave) {
  DeviceProfile h100 = shipped("nvidia-h100");
  std::erase_if(h100.traffic->parameters.products,
                [](const auto& each) { return each.first.starts_with("dia"); });
  const ProfileFit fit = fit_like(some(), h100, "mine");
  ASSERT_FALSE(fit.warnings.empty());
  EXPECT_EQ(fit.warnings.front().find("profile 'nvidia-h100' has no constants 'product/dia"), 0U)
      << fit.warnings.front();
  EXPECT_FALSE(fit.profile.traffic->parameters.products.contains("dia"));
}

TEST(RelativeFit, RefusesWhatIsNotOfOneKind) {
  const DeviceProfile h100 = shipped("nvidia-h100");
  SampleFile of_cpu = some_samples(200, "amd-epyc-zen4-2cores");
  EXPECT_EQ(refusal_of([&] { fit_like(of_cpu, h100, "mine"); }),
            "samples of '" + of_cpu.origin.device +
                "', a CPU; a relative is of a GPU, and so must they be");
  EXPECT_EQ(refusal_of([&] { fit_like(some(), shipped("amd-epyc-zen4-2cores"), "mine"); }),
            "profile 'amd-epyc-zen4-2cores' is of a CPU; a relative of a GPU is a GPU that was "
            "calibrated");
  SampleFile empty = some();
  empty.samples.clear();
  EXPECT_EQ(refusal_of([&] { fit_like(empty, h100, "mine"); }),
            "traffic model: no samples to fit; calibrate the device");
}

}  // namespace
}  // namespace sparsecast
