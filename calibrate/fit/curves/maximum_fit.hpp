#pragma once

#include <map>
#include <span>
#include <string>

#include "calibrate/fit/curves/curve_fit.hpp"
#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/fit_point.hpp"
#include "model/paper/throughput_curve.hpp"

/// @file
/// Fits the throughput curve of equation 3 as a 95 % quantile of measured throughput. Data that
/// cannot be fitted throw nothing: the result is a value that says what is wrong with them.

namespace sparsecast {

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
