#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/traffic_fit.hpp"
#include "core/workload/gpu_execution.hpp"
#include "model/interval_ratios.hpp"
#include "model/traffic/traffic_parameters.hpp"

namespace sparsecast {

/// Collects how measured times compare with forecasts by parameters that had not seen them, and
/// makes 90 % intervals of it.
class TrafficIntervals {
 public:
  /// Their working sets are calibrated ones.
  void add_calibrated(std::span<const TrafficPoint> points);

  /// How the times of points compare with forecasts by parameters that were fitted without them; of
  /// passes by the terms alone: a user's solver is not among what is learned from. Ratios of what
  /// is unlike all that was fitted count by their roots (`interval_widening.hpp`). Points without a
  /// matrix, and those that the parameters cannot price, are left out.
  void add_forecasts(std::span<const TrafficPoint> points, const GpuShape& gpu,
                     const TrafficParameters& parameters);

  /// By `interval_keys`, split conformal (`interval_of`).
  std::map<std::string, IntervalRatios> intervals() const;

 private:
  std::map<std::string, std::vector<double>> ratios_;
  std::map<std::string, double> largest_bytes_;  ///< of keys without an upper end
};

}  // namespace sparsecast
