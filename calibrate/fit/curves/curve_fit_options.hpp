#pragma once

#include <string>

namespace sparsecast {

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

  /// What the device's memory can deliver at most, GB/s: nu of no curve exceeds it. Short kernels
  /// find their operands in a cache and are faster, which equation 3 has no term for. 0: unknown,
  /// nu is free.
  double peak_gbps = 0;

  int max_iterations = 200;

  /// False, with one line of reason, for settings that make no sense.
  bool is_valid(std::string* reason) const;
};

}  // namespace sparsecast
