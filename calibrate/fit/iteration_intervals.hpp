#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/interval_fit.hpp"
#include "calibrate/sample.hpp"
#include "core/base/precision.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// How measured whole iterations compare with the prediction, for one layout.
struct IterationInterval {
  Precision precision = Precision::f64;
  std::string layout;
  IntervalFit fit;

  /// One line.
  std::string full() const;
};

struct IterationIntervals {
  std::vector<IterationInterval> intervals;  ///< by layout
  std::vector<std::string> warnings;         ///< of layouts with too few iterations
};

/// The kernels on vectors that predictions of Algorithm 1 need and that have no curve.
std::vector<std::string> missing_vector_kernels(const PrecisionProfile& curves);

/// The intervals of the paper's model in this precision, from iterations of Algorithm 1 that were
/// held out. None where the profile lacks a curve that it needs.
IterationIntervals fit_iteration_intervals(std::span<const Sample> samples, Precision precision,
                                           const DeviceProfile& profile);

}  // namespace sparsecast
