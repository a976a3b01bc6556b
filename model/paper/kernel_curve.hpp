#pragma once

#include <array>
#include <map>
#include <optional>

#include "model/paper/throughput_curve.hpp"

namespace sparsecast {

/// How a curve was fitted; absent for curves from publications.
struct FitQuality {
  /// Covariance of (mu, sigma, log nu) of the average curve, row major.
  std::array<double, 9> covariance{};
  double median_relative_error = 0;  ///< of time, over the fit's own samples
  int samples = 0;
  double elements_min = 0;  ///< measured range of m
  double elements_max = 0;
  /// Share of samples at or below the maximum curve, per decade of m (key: floor(log10 m)).
  std::map<int, double> maximum_coverage;
};

/// A kernel's throughput: average (the fit) and maximum (its 95 % envelope, at most what the memory
/// can deliver; `calibrate/fit/curves/maximum_fit.hpp`). Published curves are as printed.
struct KernelCurve {
  ThroughputCurve average;
  ThroughputCurve maximum;
  std::optional<FitQuality> quality;
};

}  // namespace sparsecast
