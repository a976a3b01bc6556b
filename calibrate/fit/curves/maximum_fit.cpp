#include "calibrate/fit/curves/maximum_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "calibrate/fit/curves/curve_problem.hpp"
#include "calibrate/fit/formatted.hpp"

namespace sparsecast {

namespace {

/// How far the points' throughput lies above the curve, log.
std::vector<double> excess(std::span<const FitPoint> points, const ThroughputCurve& curve) {
  std::vector<double> result;
  for (const FitPoint& point : points) result.push_back(log_residual(curve, point));
  return result;
}

/// The curve with nu such that the stated share of the points lies at or below it, or as large as
/// it may be.
ThroughputCurve raised_to_quantile(std::span<const FitPoint> points, ThroughputCurve curve,
                                   const CurveFitOptions& options) {
  std::vector<double> above = excess(points, curve);
  const auto rank = static_cast<std::size_t>(
      std::ceil(options.quantile * static_cast<double>(above.size()) - 1e-9));
  const auto position = above.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(above.begin(), position, above.end());
  // A hair more, so that rounding does not put the point itself above.
  double factor = std::exp(*position) * (1 + 1e-12);
  if (options.peak_gbps > 0) factor = std::min(factor, options.peak_gbps / curve.nu);
  curve.nu *= factor;
  curve.memory_nu *= factor;
  return curve;
}

/// Whether the maximum is nowhere below the average, where there are samples.
bool lies_above(const ThroughputCurve& maximum, const ThroughputCurve& average, double elements_min,
                double elements_max) {
  constexpr int steps = 64;
  for (int i = 0; i <= steps; ++i) {
    const double m = elements_min * std::pow(elements_max / elements_min, double(i) / steps);
    for (const double missing : {0.0, 1.0}) {
      if (kernel_seconds(maximum, m, 1, missing) > kernel_seconds(average, m, 1, missing)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::string MaximumFit::brief() const {
  if (!ok()) return "refused (" + std::string(to_string(status)) + "): " + reason;
  return formatted("mu %.2f, sigma %.3f, nu %.4g GB/s%s; %.1f %% of samples at or below%s",
                   curve.mu, curve.sigma, curve.nu, at_peak ? " (the memory's peak)" : "",
                   100 * coverage, shape_fitted ? "" : " (shape of the average curve)");
}

std::string MaximumFit::full() const {
  std::string report = brief() + '\n';
  for (const auto& [decade, share] : coverage_per_decade) {
    report += formatted("m from 1e%d: %.0f %% of %d samples at or below\n", decade, 100 * share,
                        samples_per_decade.at(decade));
  }
  return report;
}

MaximumFit fit_maximum_curve(std::span<const FitPoint> points, const CurveFit& average,
                             const CurveFitOptions& options) {
  MaximumFit fit;
  fit.status = average.status;
  fit.reason = average.reason;
  if (!average.ok()) return fit;
  if (only_touch_memory(points)) {
    return fit_maximum_curve(without_cache(points), average, options);
  }

  // Pinball loss: |r| weighs `quantile` for points above the curve and 1 - quantile below; as
  // squares, r^2 over |r| of the round before.
  constexpr int rounds = 60;
  constexpr double least_distance = 1e-3;
  const double log2_max = std::log2(average.elements_max);
  const ThroughputCurve raised = raised_to_quantile(points, average.curve, options);
  CurveParameters free{raised.mu, raised.sigma, std::log(raised.nu), 0, raised.memory_nu > 0};
  if (free.has_memory) free.log_slowdown = std::log(raised.nu / raised.memory_nu);
  std::vector<double> weights(points.size());
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> above = excess(points, free.curve());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double share = above[i] > 0 ? options.quantile : 1 - options.quantile;
      weights[i] = std::sqrt(share / std::max(std::abs(above[i]), least_distance));
    }
    CurveProblem problem(points, weights, log2_max, CurveLoss::squares, options, free);
    if (!problem.solve().usable) break;
    const CurveParameters next = problem.parameters();
    const double change = std::abs(next.mu - free.mu) + std::abs(next.sigma - free.sigma) +
                          std::abs(next.log_nu - free.log_nu) +
                          std::abs(next.log_slowdown - free.log_slowdown);
    free = next;
    if (change < 1e-6) break;
  }

  const ThroughputCurve fitted = raised_to_quantile(points, free.curve(), options);
  fit.shape_fitted = bound_reason(free, log2_max, options).empty() &&
                     lies_above(fitted, average.curve, average.elements_min, average.elements_max);
  fit.curve = fit.shape_fitted ? fitted : raised;
  fit.at_peak = is_at_peak(fit.curve, options);
  if (fit.at_peak) fit.curve.nu = options.peak_gbps;

  const std::vector<double> above = excess(points, fit.curve);
  std::map<int, int> covered;
  int covered_in_all = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const int decade = static_cast<int>(std::floor(std::log10(points[i].elements)));
    const int inside = above[i] <= 0 ? 1 : 0;
    ++fit.samples_per_decade[decade];
    covered[decade] += inside;
    covered_in_all += inside;
  }
  fit.coverage = double(covered_in_all) / static_cast<double>(points.size());
  for (const auto& [decade, count] : fit.samples_per_decade) {
    fit.coverage_per_decade[decade] = double(covered[decade]) / count;
  }
  return fit;
}

}  // namespace sparsecast
