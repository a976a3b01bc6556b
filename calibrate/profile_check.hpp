#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// How one kernel behaves today, compared with what a profile says.
struct KernelCheck {
  Precision precision = Precision::f64;
  std::string key;  ///< as in `PrecisionProfile::curves`
  int samples = 0;
  double median_ratio = 1;  ///< measured time / the model's
  double tolerance = 0;     ///< passes between 1 / (1 + tolerance) and 1 + tolerance
  bool passed = false;
};

/// Compares samples with the traffic model where the profile has it and prices them, else with its
/// average curves, kernel by kernel. The median over sizes is compared, because a model is an
/// average over sizes: single samples leave it by its own error. Tolerance: three times the model's
/// median error, at least 0.15 of the traffic model, 0.25 of a curve. Samples of which the profile
/// knows nothing are passed over. Throws `Error` if none is left.
std::vector<KernelCheck> check_profile(const DeviceProfile& profile,
                                       std::span<const Sample> samples);

}  // namespace sparsecast
