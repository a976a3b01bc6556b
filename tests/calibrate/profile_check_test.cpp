#include "calibrate/profile_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

TEST(ProfileCheck, ComparesTheMedianOverSizesWithTheCurve) {
  DeviceProfile profile;
  profile.name = "p";
  const ThroughputCurve curve{12, 1.5, 20};
  profile.precisions[Precision::f64].curves["CG3"] = {curve, curve, {}};
  std::vector<Sample> samples(5);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].kernel = "CG3";
    samples[i].elements = 1000.0 * static_cast<double>(i + 1);
    samples[i].seconds = 1.1 * kernel_seconds(curve, samples[i].elements, 8);
  }
  samples[2].seconds *= 5;

  auto checks = check_profile(profile, samples);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_NEAR(checks[0].median_ratio, 1.1, 1e-12);
  EXPECT_TRUE(checks[0].passed);

  for (Sample& sample : samples) sample.seconds *= 1.5;
  checks = check_profile(profile, samples);
  EXPECT_FALSE(checks[0].passed);
  for (Sample& sample : samples) sample.seconds /= 3;
  EXPECT_FALSE(check_profile(profile, samples)[0].passed) << "a faster device is another device";
}

TEST(ProfileCheck, RefusesAProfileOfOtherKernels) {
  DeviceProfile profile;
  profile.name = "p";
  const std::vector<Sample> samples(3);
  EXPECT_THROW(check_profile(profile, samples), std::exception);
}

TEST(ProfileCheck, ComparesAGpuWithItsTrafficModel) {
  const std::filesystem::path profiles = SPARSECAST_SOURCE_DIR "/profiles";
  const DeviceProfile profile = read_profile((profiles / "nvidia-h200.json").string());
  std::vector<Sample> samples = read_samples(profiles / "nvidia-h200.samples.csv.gz").samples;
  std::erase_if(samples, [](const Sample& sample) {
    return sample.kernel != "CG4" && !(sample.kernel == "SpMV" && sample.layout == "csr");
  });
  const auto passes = [&] {
    const auto checks = check_profile(profile, samples);
    EXPECT_EQ(checks.size(), 4u);
    return std::ranges::count(checks, true, &KernelCheck::passed);
  };
  EXPECT_EQ(passes(), 4);
  for (Sample& sample : samples) sample.seconds *= 1.3;
  EXPECT_EQ(passes(), 0);
}

}  // namespace
}  // namespace sparsecast
