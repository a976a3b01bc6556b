#pragma once

#include <map>
#include <span>
#include <string>

#include "calibrate/fit/curves/curve_fit.hpp"
#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/fit_point.hpp"
#include "model/paper/throughput_curve.hpp"

/// @file
/// The maximum curve. In the paper (section 5.3, Table 3) it is the upper limit of a kernel's raw
/// memory throughput, equation 3 with the parameters of the average curve "adapted such that the
/// envelope of the measurements fits the sigmoidal function": what a matrix of even rows reaches,
/// and from which equation 7 gives the best case of performance. Its nu is a throughput of the
/// device's memory; the paper's GPU had no cache that could exceed it. Here it is a 95 % quantile
/// of measured throughput whose nu never exceeds what the memory can deliver, where that is known:
/// samples that a cache made faster lie above it.
///
/// Data that cannot be fitted throw nothing: the result is a value that says what is wrong with
/// them.

namespace sparsecast {

/// The maximum curve: the quantile of throughput that `CurveFitOptions::quantile` names.
struct MaximumFit {
  FitStatus status = FitStatus::not_converged;
  std::string reason;
  ThroughputCurve curve;
  /// mu and sigma were fitted too. Otherwise they are the average's and only nu was raised, because
  /// the freely fitted curve would have dropped below the average somewhere.
  bool shape_fitted = false;
  /// nu lies at `CurveFitOptions::peak_gbps`, so that fewer samples than asked for may lie below.
  bool at_peak = false;
  double coverage = 0;  ///< share of all samples at or below the curve
  /// The same per decade of m (key: floor(log10 m)), and how many samples each has.
  std::map<int, double> coverage_per_decade;
  std::map<int, int> samples_per_decade;

  bool ok() const { return status == FitStatus::ok; }
  std::string brief() const;
  std::string full() const;
};

/// Fits the quantile by iteratively reweighted least squares on the pinball loss of log throughput,
/// from the average curve on; then sets nu so that the stated share of samples lies at or below, or
/// to `options.peak_gbps` where that is less.
/// `average` must be ok, and of the same points; otherwise its status and reason are passed on.
MaximumFit fit_maximum_curve(std::span<const FitPoint> points, const CurveFit& average,
                             const CurveFitOptions& options = {});

}  // namespace sparsecast
