#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/curves/average_fit.hpp"
#include "calibrate/fit/curves/maximum_fit.hpp"
#include "calibrate/fit/traffic_calibration.hpp"
#include "calibrate/sample.hpp"
#include "model/device_profile.hpp"

namespace sparsecast {

/// The fits of one kernel in one precision.
struct KernelFit {
  std::optional<Precision> precision;  ///< absent for links: both precisions together
  std::string key;                     ///< as in `PrecisionProfile::curves`, or "Exchange/2"
  CurveFit average;
  MaximumFit maximum;

  bool ok() const { return average.ok() && maximum.ok(); }
};

/// The curve of a fit that is ok, as profiles hold it.
KernelCurve kernel_curve(const KernelFit& fit);

/// How measured whole iterations compare with the prediction, for one layout.
struct IntervalFit {
  Precision precision = Precision::f64;
  std::string layout;
  IntervalRatios ratios;
  double median = 1;  ///< of measured / predicted time
  /// Too few matrices for quantiles: the interval assumes a log-normal distribution (Student's t).
  bool assumed_log_normal = false;
};

/// What came of a file of samples.
struct ProfileFit {
  DeviceProfile profile;  ///< holds only what was fitted well
  std::vector<KernelFit> kernels;
  std::vector<IntervalFit> intervals;
  std::optional<TrafficCalibration> traffic;  ///< of a GPU
  std::string links;                          ///< of several GPUs: a line each cost
  /// One sentence each: refused fits and what cannot be predicted without them, missing samples,
  /// unfinished plans, noise.
  std::vector<std::string> warnings;

  /// Several lines for each fit.
  std::string full() const;
};

/// Fits everything a profile holds, without any device: curves of all kernels ("SpMV/csr" by
/// layout), links (one synchronisation is taken off an exchange's time, because equation 11 charges
/// it separately), conversion costs, and prediction intervals from the whole iterations, which were
/// not fitted to; of a GPU the traffic model too. Throws `Error` if not one curve could be fitted.
ProfileFit fit_profile(const SampleFile& file, const std::string& name,
                       const CurveFitOptions& options = {});

/// The 90 % interval for a new ratio, split conformal: the order statistics floor(0.05 (n + 1)) and
/// ceil(0.95 (n + 1)) of the n ratios, which cover a new one with at least 90 % probability
/// whatever the distribution. Fewer than 19 ratios have no such statistics: Student's t on the
/// logarithms takes their place, and never gives less than the range seen. Nothing for fewer than
/// 3.
std::optional<IntervalFit> interval_of(std::span<const double> ratios);

/// The points of one curve: all trusted samples of this precision whose key (see `KernelFit`) is
/// this, with the share that misses the cache, if there is one.
std::vector<FitPoint> fit_points(std::span<const Sample> samples, Precision precision,
                                 const std::string& key,
                                 const std::optional<CacheEffect>& cache = std::nullopt);

/// The effective capacity of the cache, from the kernels on vectors alone: the one, between 256 KiB
/// and 4 GiB, with which their curves leave the smallest errors. Nothing if no cache makes them
/// smaller by at least a fifth: then the paper's curves will do.
std::optional<CacheEffect> find_cache(std::span<const Sample> samples,
                                      const CurveFitOptions& options = {});

/// Bytes that the sample's kernel touched again in every run.
double working_set_of(const Sample& sample);

/// "SpMV/csr" for products, else the kernel's name.
std::string curve_key(const Sample& sample);

/// Two unknowns a, b >= 0 with a * nonzeros + b * elements = seconds, relative least squares over
/// samples of at least a millisecond; nothing without such samples.
std::optional<ConversionCost> fit_conversion(std::span<const Sample> samples);

/// The same for a GPU, whose conversions take less than a millisecond but now and then wait for
/// memory: the median time of a stored element over matrices of at least 2 million nonzeros;
/// nothing without such samples.
std::optional<ConversionCost> typical_conversion(std::span<const Sample> samples);

/// GB/s of copying a matrix to the device, as a back end does it: the median over samples of at
/// least 8 MB; nothing without such samples.
std::optional<double> fit_upload(std::span<const Sample> samples);

}  // namespace sparsecast
