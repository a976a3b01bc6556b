#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/curves/curve_fit.hpp"
#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/fit_point.hpp"
#include "calibrate/fit/curves/maximum_fit.hpp"
#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// The fits of one kernel in one precision.
struct KernelFit {
  std::optional<Precision> precision;  ///< absent for links: both precisions together
  std::string key;                     ///< as in `PrecisionProfile::curves`, or "Exchange/2"
  CurveFit average;
  MaximumFit maximum;

  bool ok() const { return average.ok() && maximum.ok(); }
  /// Several lines, the first with precision and key.
  std::string full() const;
};

/// The curve of a fit that is ok, as profiles hold it.
KernelCurve kernel_curve(const KernelFit& fit);

/// Fits both curves to the points.
KernelFit fit_kernel(std::optional<Precision> precision, const std::string& key,
                     std::span<const FitPoint> points, const CurveFitOptions& options = {});

/// The fits of every kernel of this precision that there are samples of, by key, on all threads.
std::vector<KernelFit> fit_kernels(std::span<const Sample> samples, Precision precision,
                                   const std::optional<CacheEffect>& cache = std::nullopt,
                                   const CurveFitOptions& options = {});

}  // namespace sparsecast
