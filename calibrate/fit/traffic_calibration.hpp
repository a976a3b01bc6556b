#pragma once

#include <optional>
#include <string>

#include "calibrate/fit/traffic_fit.hpp"
#include "calibrate/sample.hpp"

/// @file
/// From the samples of a device to the traffic model of its profile.

namespace sparsecast {

/// What came of the samples.
struct TrafficCalibration {
  TrafficFit fit;  ///< with intervals
  int held_out = 0;
  double held_out_mean_error = 0;  ///< of time, by the fit that did not see them
  double held_out_median_error = 0;

  /// Several lines: every parameter with its unit and uncertainty, errors, intervals.
  std::string full() const;
};

/// Fits the traffic model, constants and residual model, to the trusted samples of a file that are
/// not held out. `options.without` may name the "residual" of products and iterations, too, or that
/// of "iterations" of several kernels alone. Nothing where no sample can be fitted: samples of a
/// CPU that say nothing of threads, or (in version 1) of access patterns.
std::optional<TrafficFit> fit_samples(const SampleFile& file,
                                      const TrafficFitOptions& options = {});

/// The same with intervals. Those of a GPU are of families of matrices that were left out: all is
/// fitted again without every fifth family, five times, and forecasts it; then its residual model
/// learns from what was held out as well, the constants as they are. A CPU's are of the matrices
/// that were held out, and its parameters are then fitted again, to all of them: its times are
/// noisy, and every sample counts.
std::optional<TrafficCalibration> calibrate_traffic(const SampleFile& file,
                                                    const TrafficFitOptions& options = {});

}  // namespace sparsecast
