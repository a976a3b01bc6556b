#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/kernel_fit.hpp"
#include "calibrate/fit/iteration_intervals.hpp"
#include "calibrate/fit/traffic_calibration.hpp"
#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// What came of a file of samples.
struct ProfileFit {
  DeviceProfile profile;  ///< holds only what was fitted well
  std::vector<KernelFit> kernels;
  std::vector<IterationInterval> intervals;
  std::optional<TrafficCalibration> traffic;  ///< of a GPU
  std::string links;                          ///< of several GPUs: a line each cost
  /// One sentence each: refused fits and what cannot be predicted without them, missing samples,
  /// unfinished plans, noise.
  std::vector<std::string> warnings;

  /// Several lines for each fit.
  std::string full() const;
};

/// Fits everything a profile holds, without any device: curves of all kernels ("SpMV/csr" by
/// layout), links (one synchronisation is taken off an exchange's time, because equation 11 charges
/// it separately), conversion costs, and prediction intervals from the whole iterations, which were
/// not fitted to; of a GPU the traffic model too. Throws `Error` if not one curve could be fitted.
ProfileFit fit_profile(const SampleFile& file, const std::string& name,
                       const CurveFitOptions& options = {});
}  // namespace sparsecast
