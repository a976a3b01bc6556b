#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/traffic/traffic_pricer.hpp"

/// @file
/// Fits the parameters of the traffic model to measured times.

namespace sparsecast {

/// One measured time and what it was measured of.
struct TrafficPoint {
  Schedule schedule;
  LaunchMode launch = LaunchMode::graph;
  TrafficCase segment;
  Precision precision = Precision::f64;
  double seconds = 0;
  double relative_noise = 0;  ///< standard error of `seconds`
  std::string matrix;         ///< its name; empty without one
};

struct TrafficFitOptions {
  /// The model's own error: residuals are divided by sqrt(noise^2 + model_error^2), so that no
  /// sample weighs more than its share.
  double model_error = 0.03;
  double huber_threshold = 1.345;
  int max_iterations = 100;
  double function_tolerance = 1e-6;  ///< relative; ends the search
  int threads = 0;                   ///< 0: all
  /// Parameters to leave at the values where they have no effect, to see what they are worth:
  /// whole names ("device/graph") or last parts ("sector": of all products).
  std::vector<std::string> without;
  /// Groups of parameters that are known stay at their values here; null: none is.
  const TrafficParameters* known = nullptr;
  double peak_gbps = 0;  ///< that the memory can deliver at most; 0: unknown
  /// Where the search begins; null: at orders of magnitude. What is expected stays those.
  const TrafficParameters* start = nullptr;
  /// Of another GPU, scaled to this one; null: none is known. Its parameters are where the search
  /// begins and what is expected: device constants (`is_device_constant`) to `device_deviation`,
  /// kernel constants to `kernel_deviation`. What it does not determine stays without effect, what
  /// no point depends on stays with its error. It must have all that the points need.
  const TrafficProfile* relative = nullptr;
  double device_deviation = 0.3;  ///< of logarithms
  double kernel_deviation = 0.1;
};

/// What a fit came to.
struct TrafficFit {
  TrafficProfile profile;  ///< without intervals
  bool converged = false;
  std::string message;                 ///< of the solver, one line
  std::vector<std::string> at_bounds;  ///< parameters that ended at one of their bounds
};

/// Least squares with Huber's loss on log(predicted / measured), by Levenberg-Marquardt on the
/// logarithms of all parameters that the points depend on: which products and kernels there are is
/// taken from the points. Errors of parameters are those of the linearised problem, with the
/// scatter that the model leaves. Throws `Error` without points.
TrafficFit fit_traffic(std::span<const TrafficPoint> points, const GpuShape& gpu,
                       const TrafficFitOptions& options = {});

/// The same, of a GPU again and again without the parameters that the points do not determine to
/// 50 % (of `PassCosts` to a factor of e), of each group the worst first, and without factors that
/// may as well be 1: they end without effect, and have no error.
TrafficFit fit_determined(std::span<const TrafficPoint> points, const GpuShape& gpu,
                          const TrafficFitOptions& options = {});

/// |predicted / measured - 1| of a point.
double traffic_error(const TrafficPoint& point, const GpuShape& gpu,
                     const TrafficParameters& parameters);

}  // namespace sparsecast
