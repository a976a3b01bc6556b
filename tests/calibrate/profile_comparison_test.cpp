#include "calibrate/profile_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sparsecast {
namespace {

/// One curve in f64 and one parameter of the traffic model, with these uncertainties.
DeviceProfile profile(double mu, double nu, double error, double cache_bytes) {
  DeviceProfile made;
  KernelCurve curve;
  curve.average = {mu, 1 / std::log(2.0), nu};
  curve.quality = FitQuality{};
  curve.quality->covariance = {error * error, 0, 0, 0, 0, 0, 0, 0, error * error};
  made.precisions[Precision::f64].curves["CG4"] = curve;
  made.traffic = TrafficProfile{};
  made.traffic->parameters.device.cache_bytes = cache_bytes;
  made.traffic->log_errors["device/l2_capacity"] = error;
  return made;
}

TEST(ProfileComparison, MeasuresDifferencesInStandardErrors) {
  const auto comparison =
      compare_profiles(profile(20, 4000, 0.03, 4e7), profile(20.1, 4400, 0.04, 4e7));
  // Sigma is at its bound in both: nothing to compare.
  ASSERT_EQ(comparison.size(), 3u);
  EXPECT_EQ(comparison[0].name, "f64/CG4/mu");
  EXPECT_NEAR(comparison[0].deviations(), 0.1 / 0.05, 1e-9);
  EXPECT_EQ(comparison[1].name, "f64/CG4/nu");
  EXPECT_EQ(comparison[1].unit, "GB/s");
  EXPECT_NEAR(comparison[1].deviations(), std::log(1.1) / 0.05, 1e-9);
  EXPECT_EQ(comparison[2].name, "traffic/device/l2_capacity");
  EXPECT_EQ(comparison[2].deviations(), 0);
}

TEST(ProfileComparison, AgreesWhereNineInTenAreWithinTwoErrors) {
  const DeviceProfile first = profile(20, 4000, 0.03, 4e7);
  EXPECT_TRUE(agree(compare_profiles(first, first)));
  EXPECT_TRUE(agree(compare_profiles(first, profile(20.05, 4100, 0.03, 4.1e7))));
  EXPECT_FALSE(agree(compare_profiles(first, profile(20.05, 4100, 0.03, 5e7))));
}

TEST(ProfileComparison, PassesOverWhatOnlyOneHas) {
  DeviceProfile first = profile(20, 4000, 0.03, 4e7);
  first.precisions[Precision::f64].curves["CG5"] =
      first.precisions[Precision::f64].curves.at("CG4");
  DeviceProfile second = profile(20, 4000, 0.03, 4e7);
  second.traffic.reset();
  EXPECT_EQ(compare_profiles(first, second).size(), 2u);
}

TEST(ProfileComparison, CallsADifferenceWithoutAnyErrorInfinite) {
  const auto comparison = compare_profiles(profile(20, 4000, 0, 4e7), profile(21, 4000, 0, 4e7));
  EXPECT_TRUE(std::isinf(comparison.front().deviations()));
}

}  // namespace
}  // namespace sparsecast
