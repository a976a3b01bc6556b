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
  TrafficFit fit;  ///< with intervals, of the samples that were held out of a fit
  int held_out = 0;
  double held_out_mean_error = 0;  ///< of time, by the fit that did not see them
  double held_out_median_error = 0;

  /// Several lines: every parameter with its unit and uncertainty, errors, intervals.
  std::string full() const;
};

/// Fits the traffic model to the trusted samples of a file, and takes its intervals from those held
/// out. `options.without` may name the "residual" of products and iterations, too, or that of
/// "iterations" alone. A CPU's parameters are then
/// fitted again, to all of them: its times are noisy, and every sample counts. Nothing where no
/// sample can be fitted: samples of a CPU that say nothing of threads, or (in version 1) of access
/// patterns.
std::optional<TrafficCalibration> calibrate_traffic(const SampleFile& file,
                                                    const TrafficFitOptions& options = {});

}  // namespace sparsecast
