#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "model/paper/throughput_curve.hpp"

/// @file
/// Fits the throughput curve of equation 3 to measured kernel times: the average curve by
/// Levenberg-Marquardt (section 5.3 of the paper), the maximum curve as a 95 % quantile. Neither
/// throws for data that cannot be fitted: the result is a value that says what is wrong with it.

namespace sparsecast {

/// One measured kernel time.
struct FitPoint {
  double elements = 0;         ///< transferred elements m
  double seconds = 0;          ///< median time of one run
  double bytes_per_value = 4;  ///< s of equation 7
  /// Standard error of `seconds`, relative. Noisier points weigh less; 0 means as good as any.
  double relative_noise = 0;
  /// Share of the elements that came from memory beyond the cache (`CacheEffect`); 0: none.
  double missing_share = 0;
};

/// What a fit demands of its samples. The defaults suit calibration; tests and odd devices may want
/// others.
struct CurveFitOptions {
  /// Fewer samples than this are not fitted: three parameters and an honest residual need more.
  int min_samples = 8;

  /// Least log2(m_max / m_min). Over a smaller span mu and nu cannot be told apart.
  double min_span_octaves = 4;

  /// Upper bound of sigma, in octaves (the lower one is 1/ln 2). The paper's fits lie below 1.6.
  double max_sigma = 8;

  /// A residual beyond this many robust standard deviations counts linearly and no longer
  /// quadratically (Huber). 1.345 costs 5 % of efficiency when there are no outliers.
  double huber_threshold = 1.345;

  /// A fit whose nu is less certain than this (standard error of log nu), or whose mu is less
  /// certain than four times this in octaves, is refused: the samples do not determine it. (An
  /// octave of mu is a factor of two in a fixed cost that is often a few nanoseconds.) Of the
  /// latency-bandwidth law mu may be less certain where that fixed cost is so small beside the
  /// time of the smallest m that this time is known as well as nu has to be.
  double max_log_error = 0.5;

  /// The share of samples whose throughput lies at or below the maximum curve.
  double quantile = 0.95;

  int max_iterations = 200;

  /// False, with one line of reason, for settings that make no sense.
  bool is_valid(std::string* reason) const;
};

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

  /// Covariance of (mu, sigma, log nu), row major, in the presence of the scatter that the curve
  /// leaves. Rows of a sigma at its bound are 0.
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

/// Fits mu, sigma and log nu to log T by Levenberg-Marquardt (Ceres) with Huber's loss. Residuals
/// are log(T_curve / T_measured) over sqrt(noise^2 + scatter^2), where the scatter comes from a
/// first fit: no sample can weigh more than the curve's own error justifies. Bounds: sigma >=
/// 1/ln 2, half-performance length between one element and four times the largest m. Where at least
/// two points have more than half of their elements from memory, `memory_nu` is fitted too;
/// without them, missing shares count as none. Samples that do not determine sigma (rows of
/// different structure scatter the throughput of SpMV by a factor) are fitted by the
/// latency-bandwidth law, two parameters with a physical meaning; a refusal means that not even
/// they are determined.
CurveFit fit_average_curve(std::span<const FitPoint> points, const CurveFitOptions& options = {});

/// The maximum curve: the quantile of throughput that `CurveFitOptions::quantile` names.
struct MaximumFit {
  FitStatus status = FitStatus::not_converged;
  std::string reason;
  ThroughputCurve curve;
  /// mu and sigma were fitted too. Otherwise they are the average's and only nu was raised, because
  /// the freely fitted curve would have dropped below the average somewhere.
  bool shape_fitted = false;
  double coverage = 0;  ///< share of all samples at or below the curve
  /// The same per decade of m (key: floor(log10 m)), and how many samples each has.
  std::map<int, double> coverage_per_decade;
  std::map<int, int> samples_per_decade;

  bool ok() const { return status == FitStatus::ok; }
  std::string brief() const;
  std::string full() const;
};

/// Fits the quantile by iteratively reweighted least squares on the pinball loss of log throughput,
/// from the average curve on; then sets nu so that the stated share of samples lies at or below.
/// `average` must be ok, and of the same points; otherwise its status and reason are passed on.
MaximumFit fit_maximum_curve(std::span<const FitPoint> points, const CurveFit& average,
                             const CurveFitOptions& options = {});

}  // namespace sparsecast
