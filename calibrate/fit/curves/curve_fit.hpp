#pragma once

#include <array>
#include <string>
#include <string_view>

#include "model/paper/throughput_curve.hpp"

namespace sparsecast {

/// How a fit ended. Only `ok` may be written to a profile.
enum class FitStatus {
  ok,
  too_few_samples,
  span_too_small,  ///< of m
  invalid_sample,  ///< not positive or not finite
  not_converged,   ///< the solver gave up
  at_bound,        ///< a parameter stopped at a bound that is not a law of nature
  undetermined,    ///< the samples do not tell the parameters apart
};
std::string_view to_string(FitStatus status);

/// The average curve and how well it is known.
struct CurveFit {
  FitStatus status = FitStatus::not_converged;
  /// Why the status is not `ok`, or why sigma was not free; one line, else empty.
  std::string reason;

  ThroughputCurve curve;
  /// sigma lies at its lower bound 1/ln 2: the curve is T = T0 + s*m/nu. An acceptable result (the
  /// data would have a still steeper rise, which no positive fixed cost explains).
  bool latency_bandwidth_law = false;

  /// nu lies at `CurveFitOptions::peak_gbps`: caches make the samples faster than the memory.
  bool at_peak = false;

  /// Covariance of (mu, sigma, log nu), row major, in the presence of the scatter that the curve
  /// leaves. Rows of a sigma or nu at its bound are 0.
  std::array<double, 9> covariance{};

  /// Robust standard deviation of log(T_curve / T_measured).
  double scatter = 0;
  double median_relative_error = 0;  ///< of time, unweighted
  int samples = 0;
  int outliers = 0;  ///< residuals beyond three times the scatter
  double elements_min = 0;
  double elements_max = 0;

  int solver_iterations = 0;
  std::string solver_message;

  bool ok() const { return status == FitStatus::ok; }
  /// Standard errors of mu (octaves), sigma (octaves) and log nu.
  std::array<double, 3> standard_errors() const;
  /// One line: parameters or the reason why there are none.
  std::string brief() const;
  /// Several lines: parameters with uncertainty and physical reading, residuals, solver.
  std::string full() const;
};

}  // namespace sparsecast
