#include "calibrate/fit/curve_fit.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "calibrate/fit/median.hpp"
#include "core/base/error.hpp"

namespace sparsecast {

namespace {

constexpr double bytes_per_gigabyte = 1e9;
/// Of a bound, relative to the parameter's size: closer than this is "at" it.
constexpr double bound_tolerance = 1e-4;
/// A normal distribution's standard deviation over its median absolute deviation.
constexpr double deviation_over_median = 1.4826;
/// Scatter is never taken as smaller: no clock and no curve is better than this.
constexpr double least_scatter = 1e-3;

struct Parameters {
  double mu = 0;
  double sigma = 0;
  double log_nu = 0;
  double log_slowdown = 0;  ///< log(nu / memory_nu)
  bool has_memory = false;
  bool sigma_is_fixed = false;

  ThroughputCurve curve() const {
    return {mu, sigma, std::exp(log_nu), has_memory ? std::exp(log_nu - log_slowdown) : 0};
  }
};

/// (log T_curve - log T_measured) * weight, with T of equation 7, and what misses the cache.
class LogTimeResidual {
 public:
  LogTimeResidual(const FitPoint& point, double weight)
      : log2_elements_(std::log2(point.elements)),
        log_ratio_(std::log(point.bytes_per_value * point.elements /
                            (bytes_per_gigabyte * point.seconds))),
        missing_share_(point.missing_share),
        weight_(weight) {}

  template <class T>
  bool operator()(const T* mu, const T* sigma, const T* log_nu, const T* log_slowdown,
                  T* residual) const {
    using std::exp;
    using std::log;
    const T z = (*mu - log2_elements_) / *sigma;
    constexpr double exponent_limit = 30;
    const T missing = missing_share_ * (exp(*log_slowdown) - 1.0);
    const T log_divisor = z > exponent_limit ? z : log(1.0 + exp(z) + missing);
    *residual = weight_ * (log_ratio_ - *log_nu + log_divisor);
    return true;
  }

 private:
  double log2_elements_;
  double log_ratio_;
  double missing_share_;
  double weight_;
};

/// A least-squares problem over the points with the bounds of a curve.
class CurveProblem {
 public:
  /// `loss` may be null: plain squares.
  CurveProblem(std::span<const FitPoint> points, std::span<const double> weights, double log2_max,
               ceres::LossFunction* loss, const CurveFitOptions& options, Parameters start)
      : parameters_(start) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      problem_.AddResidualBlock(new ceres::AutoDiffCostFunction<LogTimeResidual, 1, 1, 1, 1, 1>(
                                    new LogTimeResidual(points[i], weights[i])),
                                loss, &parameters_.mu, &parameters_.sigma, &parameters_.log_nu,
                                &parameters_.log_slowdown);
    }
    if (parameters_.has_memory) {
      problem_.SetParameterLowerBound(&parameters_.log_slowdown, 0, 0);
      problem_.SetParameterUpperBound(&parameters_.log_slowdown, 0, log_slowdown_max);
    } else {
      problem_.SetParameterBlockConstant(&parameters_.log_slowdown);
    }
    problem_.SetParameterLowerBound(&parameters_.mu, 0, mu_min);
    problem_.SetParameterUpperBound(&parameters_.mu, 0, log2_max + octaves_beyond);
    problem_.SetParameterLowerBound(&parameters_.sigma, 0, latency_bandwidth_sigma);
    problem_.SetParameterUpperBound(&parameters_.sigma, 0, options.max_sigma);
    if (parameters_.sigma_is_fixed) problem_.SetParameterBlockConstant(&parameters_.sigma);
  }

  ceres::Solver::Summary solve(const CurveFitOptions& options) {
    ceres::Solver::Options solver;
    solver.trust_region_strategy_type = ceres::LEVENBERG_MARQUARDT;
    solver.linear_solver_type = ceres::DENSE_QR;
    solver.max_num_iterations = options.max_iterations;
    solver.function_tolerance = 1e-12;
    solver.parameter_tolerance = 1e-10;
    solver.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(solver, &problem_, &summary);
    return summary;
  }

  const Parameters& parameters() const { return parameters_; }

  /// (J^T J)^-1 without the loss, over the parameters that are free.
  std::optional<std::array<double, 9>> inverse_normal_matrix(bool sigma_is_fixed) {
    if (sigma_is_fixed) problem_.SetParameterBlockConstant(&parameters_.sigma);
    ceres::Covariance::Options options;
    options.algorithm_type = ceres::DENSE_SVD;
    options.apply_loss_function = false;
    ceres::Covariance covariance(options);
    const std::vector<const double*> blocks{&parameters_.mu, &parameters_.sigma,
                                            &parameters_.log_nu};
    std::array<double, 9> matrix{};
    if (!covariance.Compute(blocks, &problem_) ||
        !covariance.GetCovarianceMatrix(blocks, matrix.data())) {
      return std::nullopt;
    }
    return matrix;
  }

  static constexpr double mu_min = 0;          ///< half performance at one element
  static constexpr double octaves_beyond = 2;  ///< half performance at 4 m_max
  static constexpr double log_slowdown_max = 6;

 private:
  Parameters parameters_;
  ceres::Problem problem_;
};

double log_residual(const ThroughputCurve& curve, const FitPoint& point) {
  return std::log(
      kernel_seconds(curve, point.elements, point.bytes_per_value, point.missing_share) /
      point.seconds);
}

/// Whether the points tell how fast the memory behind the cache is.
bool reach_memory(std::span<const FitPoint> points) {
  constexpr double mostly = 0.5;
  constexpr int least_points = 2;
  return std::ranges::count_if(points, [](const FitPoint& point) {
           return point.missing_share > mostly;
         }) >= least_points;
}

/// Whether they cannot tell, but say that some came from there.
bool only_touch_memory(std::span<const FitPoint> points) {
  return !reach_memory(points) &&
         std::ranges::any_of(points, [](const FitPoint& point) { return point.missing_share > 0; });
}

/// The points as if there were no cache.
std::vector<FitPoint> without_cache(std::span<const FitPoint> points) {
  std::vector<FitPoint> plain(points.begin(), points.end());
  for (FitPoint& point : plain) point.missing_share = 0;
  return plain;
}

double measured_gbps(const FitPoint& point) {
  return point.bytes_per_value * point.elements / point.seconds / bytes_per_gigabyte;
}

double median_absolute(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return median(std::move(values));
}

/// Which parameters of a curve are fitted.
enum class Shape { free_sigma, latency_bandwidth_law };

Parameters starting_point(std::span<const FitPoint> points, Shape shape) {
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

std::string text(const char* format, auto... arguments) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, arguments...);
  return buffer.data();
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
      fit.reason = text("a sample of %g elements in %g s is not positive and finite",
                        point.elements, point.seconds);
      return false;
    }
  }
  if (fit.samples < options.min_samples) {
    fit.status = FitStatus::too_few_samples;
    fit.reason = text("%d samples; at least %d are needed", fit.samples, options.min_samples);
    return false;
  }
  const auto [least, most] = std::ranges::minmax(points, {}, &FitPoint::elements);
  fit.elements_min = least.elements;
  fit.elements_max = most.elements;
  const double span = std::log2(fit.elements_max / fit.elements_min);
  if (span < options.min_span_octaves) {
    fit.status = FitStatus::span_too_small;
    fit.reason = text("m spans %.1f octaves (%g to %g); at least %g are needed", span,
                      fit.elements_min, fit.elements_max, options.min_span_octaves);
    return false;
  }
  return true;
}

/// The reason why a converged fit is at a bound that means "no answer", or empty.
std::string bound_reason(const Parameters& p, double log2_max, const CurveFitOptions& options) {
  if (p.mu < CurveProblem::mu_min + bound_tolerance) {
    return "mu is at its lower bound 0: the samples show no rise of throughput; measure smaller m";
  }
  const double mu_max = log2_max + CurveProblem::octaves_beyond;
  if (p.mu > mu_max - bound_tolerance) {
    return text(
        "mu is at its upper bound %.1f: throughput still rises at the largest m; measure "
        "larger m",
        mu_max);
  }
  if (p.sigma > options.max_sigma * (1 - bound_tolerance)) {
    return text("sigma is at its upper bound %g: the samples do not follow a sigmoid",
                options.max_sigma);
  }
  return {};
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

/// Seconds in a unit that fits.
std::string seconds_text(double seconds) {
  if (seconds < 1e-6) return text("%.3g ns", seconds * 1e9);
  if (seconds < 1e-3) return text("%.3g us", seconds * 1e6);
  return text("%.3g ms", seconds * 1e3);
}

}  // namespace

bool CurveFitOptions::is_valid(std::string* reason) const {
  const auto refuse = [reason](const char* why) {
    if (reason != nullptr) *reason = why;
    return false;
  };
  if (min_samples < 4) return refuse("min_samples must be at least 4: there are 3 parameters");
  if (!(min_span_octaves > 0)) return refuse("min_span_octaves must be positive");
  if (!(max_sigma > latency_bandwidth_sigma)) return refuse("max_sigma must exceed 1/ln 2");
  if (!(huber_threshold > 0)) return refuse("huber_threshold must be positive");
  if (!(max_log_error > 0)) return refuse("max_log_error must be positive");
  if (!(quantile > 0.5 && quantile < 1)) return refuse("quantile must lie between 0.5 and 1");
  if (max_iterations < 1) return refuse("max_iterations must be positive");
  return true;
}

std::string_view to_string(FitStatus status) {
  switch (status) {
    case FitStatus::ok:
      return "ok";
    case FitStatus::too_few_samples:
      return "too few samples";
    case FitStatus::span_too_small:
      return "span too small";
    case FitStatus::invalid_sample:
      return "invalid sample";
    case FitStatus::not_converged:
      return "not converged";
    case FitStatus::at_bound:
      return "at a bound";
    case FitStatus::undetermined:
      return "undetermined";
  }
  return "unknown";
}

std::array<double, 3> CurveFit::standard_errors() const {
  return {std::sqrt(covariance[0]), std::sqrt(covariance[4]), std::sqrt(covariance[8])};
}

std::string CurveFit::brief() const {
  if (!ok()) return "refused (" + std::string(to_string(status)) + "): " + reason;
  return text("mu %.2f, sigma %.3f%s, nu %.4g GB/s; median error %.1f %%, %d samples", curve.mu,
              curve.sigma, latency_bandwidth_law ? " (latency-bandwidth law)" : "", curve.nu,
              100 * median_relative_error, samples);
}

std::string CurveFit::full() const {
  std::string report = "status   " + std::string(to_string(status)) + '\n';
  if (!reason.empty()) report += "reason   " + reason + '\n';
  report += text("samples  %d, m from %.4g to %.4g\n", samples, elements_min, elements_max);
  if (ok()) {
    const auto [mu_error, sigma_error, log_nu_error] = standard_errors();
    report += text("mu       %.3f +- %.3f   half performance at %.4g elements\n", curve.mu,
                   mu_error, half_performance_elements(curve));
    report += latency_bandwidth_law
                  ? text("sigma    %.4f, its lower bound 1/ln 2: T = T0 + s*m/nu\n", curve.sigma)
                  : text("sigma    %.4f +- %.4f\n", curve.sigma, sigma_error);
    report += text("nu       %.4g GB/s +- %.1f %%\n", curve.nu, 100 * log_nu_error);
    if (curve.memory_nu > 0) {
      report += text("memory   %.4g GB/s for what misses the cache\n", curve.memory_nu);
    }
    report += "T0       " + seconds_text(fixed_seconds(curve, 4)) + " in f32, " +
              seconds_text(fixed_seconds(curve, 8)) + " in f64\n";
    report += text("error    median %.1f %%, robust standard deviation %.1f %%, %d outliers\n",
                   100 * median_relative_error, 100 * scatter, outliers);
  }
  if (!solver_message.empty()) {
    report += text("solver   %d iterations; ", solver_iterations) + solver_message + '\n';
  }
  return report;
}

namespace {

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
  CurveProblem first(points, weights, log2_max, new ceres::SoftLOneLoss(1), options,
                     starting_point(points, shape));
  first.solve(options);
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
  CurveProblem second(points, weights, log2_max, new ceres::HuberLoss(options.huber_threshold),
                      options, first.parameters());
  const ceres::Solver::Summary summary = second.solve(options);
  fit.solver_iterations = static_cast<int>(summary.iterations.size());
  fit.solver_message = summary.message;
  const Parameters& found = second.parameters();
  fit.curve = found.curve();
  if (summary.termination_type != ceres::CONVERGENCE) {
    fit.status = FitStatus::not_converged;
    fit.reason = "the solver gave up: " + summary.message;
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
    fit.reason = text(
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

namespace {

/// How far the points' throughput lies above the curve, log.
std::vector<double> excess(std::span<const FitPoint> points, const ThroughputCurve& curve) {
  std::vector<double> result;
  for (const FitPoint& point : points) result.push_back(log_residual(curve, point));
  return result;
}

/// The curve with nu such that the stated share of the points lies at or below it.
ThroughputCurve raised_to_quantile(std::span<const FitPoint> points, ThroughputCurve curve,
                                   double quantile) {
  std::vector<double> above = excess(points, curve);
  const auto rank =
      static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(above.size()) - 1e-9));
  const auto position = above.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(above.begin(), position, above.end());
  // A hair more, so that rounding does not put the point itself above.
  const double factor = std::exp(*position) * (1 + 1e-12);
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
  return text("mu %.2f, sigma %.3f, nu %.4g GB/s; %.1f %% of samples at or below%s", curve.mu,
              curve.sigma, curve.nu, 100 * coverage,
              shape_fitted ? "" : " (shape of the average curve)");
}

std::string MaximumFit::full() const {
  std::string report = brief() + '\n';
  for (const auto& [decade, share] : coverage_per_decade) {
    report += text("m from 1e%d: %.0f %% of %d samples at or below\n", decade, 100 * share,
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
  const ThroughputCurve raised = raised_to_quantile(points, average.curve, options.quantile);
  Parameters free{raised.mu, raised.sigma, std::log(raised.nu), 0, raised.memory_nu > 0};
  if (free.has_memory) free.log_slowdown = std::log(raised.nu / raised.memory_nu);
  std::vector<double> weights(points.size());
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> above = excess(points, free.curve());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double share = above[i] > 0 ? options.quantile : 1 - options.quantile;
      weights[i] = std::sqrt(share / std::max(std::abs(above[i]), least_distance));
    }
    CurveProblem problem(points, weights, log2_max, nullptr, options, free);
    if (!problem.solve(options).IsSolutionUsable()) break;
    const Parameters next = problem.parameters();
    const double change = std::abs(next.mu - free.mu) + std::abs(next.sigma - free.sigma) +
                          std::abs(next.log_nu - free.log_nu) +
                          std::abs(next.log_slowdown - free.log_slowdown);
    free = next;
    if (change < 1e-6) break;
  }

  const ThroughputCurve fitted = raised_to_quantile(points, free.curve(), options.quantile);
  fit.shape_fitted = bound_reason(free, log2_max, options).empty() &&
                     lies_above(fitted, average.curve, average.elements_min, average.elements_max);
  fit.curve = fit.shape_fitted ? fitted : raised;

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
