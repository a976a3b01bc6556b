#include "calibrate/fit/curves/cache_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/fit/curves/average_fit.hpp"
#include "calibrate/fit/curves/curve_samples.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

std::optional<CacheEffect> find_cache(std::span<const Sample> samples,
                                      const CurveFitOptions& options) {
  // Of every kernel on vectors: the points, the working set of each, and the last fit.
  struct Kernel {
    std::vector<FitPoint> points;
    std::vector<double> working_sets;
    CurveFit fit;
  };
  std::map<std::pair<Precision, std::string>, Kernel> by_name;
  for (const Sample& sample : samples) {
    if (!is_on_curve(sample) || !sample.layout.empty()) continue;
    Kernel& kernel = by_name[{sample.precision, sample.kernel}];
    kernel.points.push_back(fit_point(sample, std::nullopt));
    kernel.working_sets.push_back(working_set_of(sample));
  }
  std::vector<Kernel> kernels;
  for (auto& [name, kernel] : by_name) kernels.push_back(std::move(kernel));
  // The sum of all absolute errors of log time; no single time may count for more than a factor of
  // seven.
  const auto error = [&](const std::optional<CacheEffect>& cache) {
    constexpr double largest = 2;
    parallel_for(std::ssize(kernels), 1, [&](std::int64_t begin, std::int64_t end) {
      for (Kernel& kernel : std::span(kernels).subspan(begin, end - begin)) {
        for (std::size_t i = 0; i < kernel.points.size(); ++i) {
          kernel.points[i].missing_share =
              cache ? missing_share(*cache, kernel.working_sets[i]) : 0;
        }
        kernel.fit = fit_average_curve(kernel.points, options);
      }
    });
    double sum = 0;
    for (const Kernel& kernel : kernels) {
      if (!(kernel.fit.curve.nu > 0)) continue;  // refused before it was fitted, with any cache
      for (const FitPoint& point : kernel.points) {
        const double expected = kernel_seconds(kernel.fit.curve, point.elements,
                                               point.bytes_per_value, point.missing_share);
        sum += std::min(std::abs(std::log(expected / point.seconds)), largest);
      }
    }
    return sum;
  };

  constexpr double least_capacity = 256 << 10;
  constexpr int octaves = 14;
  constexpr double usual_sharpness = 4;
  const double error_without = error(std::nullopt);
  CacheEffect best;
  double least_error = error_without;
  const auto attempt = [&](const CacheEffect& cache) {
    const double found = error(cache);
    if (found < least_error) {
      least_error = found;
      best = cache;
    }
  };
  for (int octave = 0; octave <= octaves; ++octave) {
    attempt({std::ldexp(least_capacity, octave), usual_sharpness});
  }
  if (!(best.capacity_bytes > 0)) return std::nullopt;
  for (const double step : {0.5, 0.25}) {
    const double center = best.capacity_bytes;
    for (const double direction : {-1.0, 1.0}) {
      attempt({center * std::exp2(direction * step), usual_sharpness});
    }
  }
  const double capacity = best.capacity_bytes;
  for (const double sharpness : {1.5, 2.5, 8.0}) attempt({capacity, sharpness});
  constexpr double least_gain = 0.2;
  if (least_error > (1 - least_gain) * error_without) return std::nullopt;
  return best;
}

}  // namespace sparsecast
