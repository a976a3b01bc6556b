#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/sample.hpp"
#include "model/device_profile.hpp"

namespace sparsecast {

/// How one kernel behaves today, compared with its curve in a profile.
struct KernelCheck {
  Precision precision = Precision::f64;
  std::string key;  ///< as in `PrecisionProfile::curves`
  int samples = 0;
  double median_ratio = 1;  ///< measured time / time on the average curve
  double tolerance = 0;     ///< passes between 1 / (1 + tolerance) and 1 + tolerance
  bool passed = false;
};

/// Compares samples with the profile's average curves, kernel by kernel. The median over sizes is
/// compared, because a curve is an average over sizes: single samples leave it by its own error.
/// Tolerance: a quarter, or three times the curve's median error where that is more. Samples of
/// kernels that the profile does not have are passed over. Throws `Error` if none is left.
std::vector<KernelCheck> check_profile(const DeviceProfile& profile,
                                       std::span<const Sample> samples);

}  // namespace sparsecast
