#include "calibrate/fit/curves/average_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "calibrate/fit/curves/curve_problem.hpp"
#include "calibrate/fit/formatted.hpp"
#include "calibrate/fit/median.hpp"
#include "core/base/error.hpp"

namespace sparsecast {

namespace {

/// A normal distribution's standard deviation over its median absolute deviation.
constexpr double deviation_over_median = 1.4826;
/// Scatter is never taken as smaller: no clock and no curve is better than this.
constexpr double least_scatter = 1e-3;

double median_absolute(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return median(std::move(values));
}

/// Which parameters of a curve are fitted.
enum class Shape { free_sigma, latency_bandwidth_law };

CurveParameters starting_point(std::span<const FitPoint> points, Shape shape) {
  const FitPoint& fastest = *std::ranges::max_element(points, {}, measured_gbps);
  // The smallest m that reaches half of the largest throughput.
  double half = fastest.elements;
  for (const FitPoint& point : points) {
    if (measured_gbps(point) >= measured_gbps(fastest) / 2) half = std::min(half, point.elements);
  }
  constexpr double usual_slowdown = 3;
  const bool has_memory = reach_memory(points);
  const bool law = shape == Shape::latency_bandwidth_law;
  return {std::log2(std::max(half, 2.0)),
          law ? latency_bandwidth_sigma : 1.6,
          std::log(measured_gbps(fastest)),
          has_memory ? std::log(usual_slowdown) : 0,
          has_memory,
          law};
}

/// Fills status and reason for samples that need no solver to be refused.
bool samples_are_usable(std::span<const FitPoint> points, const CurveFitOptions& options,
                        CurveFit& fit) {
  fit.samples = static_cast<int>(points.size());
  for (const FitPoint& point : points) {
    const bool positive = point.elements > 0 && point.seconds > 0 && point.bytes_per_value > 0 &&
                          point.relative_noise >= 0;
    if (!positive || !std::isfinite(point.elements * point.seconds * point.bytes_per_value *
                                    (1 + point.relative_noise))) {
      fit.status = FitStatus::invalid_sample;
      fit.reason = formatted("a sample of %g elements in %g s is not positive and finite",
                             point.elements, point.seconds);
      return false;
    }
  }
  if (fit.samples < options.min_samples) {
    fit.status = FitStatus::too_few_samples;
    fit.reason = formatted("%d samples; at least %d are needed", fit.samples, options.min_samples);
    return false;
  }
  const auto [least, most] = std::ranges::minmax(points, {}, &FitPoint::elements);
  fit.elements_min = least.elements;
  fit.elements_max = most.elements;
  const double span = std::log2(fit.elements_max / fit.elements_min);
  if (span < options.min_span_octaves) {
    fit.status = FitStatus::span_too_small;
    fit.reason = formatted("m spans %.1f octaves (%g to %g); at least %g are needed", span,
                           fit.elements_min, fit.elements_max, options.min_span_octaves);
    return false;
  }
  return true;
}

/// An M-estimator's variance over that of plain weighted least squares with unit variance:
/// mean(psi^2) / mean(psi')^2, with the usual correction for three parameters.
double huber_variance(std::span<const double> weighted_residuals, double threshold) {
  double squares = 0;
  double inside = 0;
  for (const double r : weighted_residuals) {
    const double psi = std::clamp(r, -threshold, threshold);
    squares += psi * psi;
    inside += std::abs(r) <= threshold ? 1 : 0;
  }
  const double n = static_cast<double>(weighted_residuals.size());
  const double slope = std::max(inside / n, 0.1);
  return squares / (n - 3) / (slope * slope);
}

/// Standard error of log T at the smallest m that was measured, where mu counts most. Of a law.
double log_time_error(const CurveFit& fit) {
  const double fixed_share =
      1 - 1 / (1 + std::exp((fit.curve.mu - std::log2(fit.elements_min)) / fit.curve.sigma));
  const double by_mu = fixed_share / fit.curve.sigma;
  constexpr double by_log_nu = -1;
  const double variance = by_mu * by_mu * fit.covariance[0] +
                          2 * by_mu * by_log_nu * fit.covariance[2] +
                          by_log_nu * by_log_nu * fit.covariance[8];
  return std::sqrt(variance);
}

/// The fit of a curve of this shape to samples that are usable.
CurveFit fit_shape(std::span<const FitPoint> points, const CurveFitOptions& options, Shape shape,
                   CurveFit fit) {
  const double log2_max = std::log2(fit.elements_max);

  // First fit: a robust guess that gives the scatter around the curve.
  constexpr double first_noise = 0.05;
  std::vector<double> weights(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    weights[i] = 1 / std::hypot(first_noise, points[i].relative_noise);
  }
  CurveProblem first(points, weights, log2_max, CurveLoss::soft_l1, options,
                     starting_point(points, shape));
  first.solve();
  std::vector<double> residuals;
  for (const FitPoint& point : points) {
    residuals.push_back(log_residual(first.parameters().curve(), point));
  }
  const double scatter =
      std::max(deviation_over_median * median_absolute(residuals), least_scatter);

  // Second fit: weights by noise and scatter, quadratic near the curve.
  for (std::size_t i = 0; i < points.size(); ++i) {
    weights[i] = 1 / std::hypot(scatter, points[i].relative_noise);
  }
  CurveProblem second(points, weights, log2_max, CurveLoss::huber, options, first.parameters());
  const CurveProblem::Ending ending = second.solve();
  fit.solver_iterations = ending.iterations;
  fit.solver_message = ending.message;
  const CurveParameters& found = second.parameters();
  fit.curve = found.curve();
  if (!ending.converged) {
    fit.status = FitStatus::not_converged;
    fit.reason = "the solver gave up: " + ending.message;
    return fit;
  }

  std::vector<double> weighted;
  std::vector<double> relative_errors;
  residuals.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    residuals.push_back(log_residual(fit.curve, points[i]));
    weighted.push_back(residuals.back() * weights[i]);
    relative_errors.push_back(std::abs(std::expm1(residuals.back())));
  }
  fit.scatter = deviation_over_median * median_absolute(residuals);
  fit.median_relative_error = median(relative_errors);
  const double outlier_limit = 3 * std::max(fit.scatter, least_scatter);
  fit.outliers = static_cast<int>(std::ranges::count_if(
      residuals, [outlier_limit](double r) { return std::abs(r) > outlier_limit; }));

  fit.reason = bound_reason(found, log2_max, options);
  if (!fit.reason.empty()) {
    fit.status = FitStatus::at_bound;
    return fit;
  }
  fit.latency_bandwidth_law = found.sigma < latency_bandwidth_sigma * (1 + bound_tolerance);
  if (fit.latency_bandwidth_law) fit.curve.sigma = latency_bandwidth_sigma;
  fit.at_peak = is_at_peak(fit.curve, options);
  if (fit.at_peak) fit.curve.nu = options.peak_gbps;
  const auto inverse = second.inverse_normal_matrix(fit.latency_bandwidth_law);
  if (!inverse) {
    fit.status = FitStatus::undetermined;
    fit.reason = "the samples do not tell mu, sigma and nu apart";
    return fit;
  }
  const double variance = huber_variance(weighted, options.huber_threshold);
  for (std::size_t i = 0; i < 9; ++i) fit.covariance[i] = variance * (*inverse)[i];
  const auto [mu_error, sigma_error, log_nu_error] = fit.standard_errors();
  // Of a law whose fixed cost is small beside the smallest time that was measured, mu may be
  // anything: what counts is whether that time is known.
  const bool mu_is_known =
      mu_error <= 4 * options.max_log_error ||
      (shape == Shape::latency_bandwidth_law && log_time_error(fit) <= options.max_log_error);
  if (!(log_nu_error <= options.max_log_error && mu_is_known)) {
    fit.status = FitStatus::undetermined;
    fit.reason = formatted(
        "the samples leave nu uncertain by %.0f %% and mu by %.1f octaves; measure "
        "a wider range of m",
        100 * log_nu_error, mu_error);
    return fit;
  }
  fit.status = FitStatus::ok;
  return fit;
}

}  // namespace

CurveFit fit_average_curve(std::span<const FitPoint> points, const CurveFitOptions& options) {
  std::string problem_with_options;
  if (!options.is_valid(&problem_with_options)) throw Error("curve fit: " + problem_with_options);
  CurveFit usable;
  if (!samples_are_usable(points, options, usable)) return usable;
  if (only_touch_memory(points)) return fit_average_curve(without_cache(points), options);
  CurveFit sigmoid = fit_shape(points, options, Shape::free_sigma, usable);
  if (sigmoid.status != FitStatus::at_bound && sigmoid.status != FitStatus::undetermined) {
    return sigmoid;
  }
  CurveFit law = fit_shape(points, options, Shape::latency_bandwidth_law, usable);
  if (!law.ok()) return sigmoid;
  law.reason = "a free sigma is " + std::string(to_string(sigmoid.status)) + ": " + sigmoid.reason;
  return law;
}

}  // namespace sparsecast
