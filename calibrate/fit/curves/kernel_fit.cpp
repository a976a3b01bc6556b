#include "calibrate/fit/curves/kernel_fit.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <set>

#include "calibrate/fit/curves/average_fit.hpp"
#include "calibrate/fit/curves/curve_samples.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

namespace {

/// As much as is to be known of an uncertainty: profiles hold many.
double in_few_digits(double value) {
  constexpr int digits = 4;
  const std::string text = short_number(value, digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string KernelFit::full() const {
  std::string report;
  if (precision) report += std::string(to_string(*precision)) + ' ';
  report += key + '\n' + average.full();
  if (average.ok()) report += "maximum  " + maximum.full();
  return report + '\n';
}

KernelCurve kernel_curve(const KernelFit& fit) {
  KernelCurve curve;
  curve.average = fit.average.curve;
  curve.maximum = fit.maximum.curve;
  FitQuality quality;
  std::ranges::transform(fit.average.covariance, quality.covariance.begin(), in_few_digits);
  quality.median_relative_error = in_few_digits(fit.average.median_relative_error);
  quality.samples = fit.average.samples;
  quality.elements_min = fit.average.elements_min;
  quality.elements_max = fit.average.elements_max;
  for (const auto& [decade, share] : fit.maximum.coverage_per_decade) {
    quality.maximum_coverage[decade] = in_few_digits(share);
  }
  curve.quality = quality;
  return curve;
}

KernelFit fit_kernel(std::optional<Precision> precision, const std::string& key,
                     std::span<const FitPoint> points, const CurveFitOptions& options) {
  KernelFit fit{precision, key, fit_average_curve(points, options), {}};
  fit.maximum = fit_maximum_curve(points, fit.average, options);
  return fit;
}

std::vector<KernelFit> fit_kernels(std::span<const Sample> samples, Precision precision,
                                   const std::optional<CacheEffect>& cache,
                                   const CurveFitOptions& options) {
  std::set<std::string> keys;
  for (const Sample& sample : samples) {
    if (sample.precision == precision && is_on_curve(sample)) keys.insert(curve_key(sample));
  }
  std::vector<KernelFit> fits;
  for (const std::string& key : keys) fits.push_back({precision, key, {}, {}});
  parallel_for(std::ssize(fits), 1, [&](std::int64_t begin, std::int64_t end) {
    for (KernelFit& fit : std::span(fits).subspan(begin, end - begin)) {
      fit = fit_kernel(precision, fit.key, fit_points(samples, precision, fit.key, cache), options);
    }
  });
  return fits;
}

}  // namespace sparsecast
