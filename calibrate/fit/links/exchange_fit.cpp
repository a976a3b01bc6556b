#include "calibrate/fit/links/exchange_fit.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// What the parts of a grid differ by from halves of the whole: alignment, places in memory.
constexpr double pair_error = 0.02;

struct Parameters {
  double constant = 5e-6;  ///< sums and the exchange's fixed cost
  double rate = 1e11;      ///< bytes a second
  double hidden = 0.5;
};

struct Residual {
  LinkPoint point;

  double deviation() const { return std::hypot(point.noise_seconds, pair_error * point.seconds); }

  template <class T>
  bool operator()(const T* log_constant, const T* log_rate, const T* hidden, T* residual) const {
    const T moving = T(point.bytes) / ceres::exp(*log_rate);
    T exposed = moving - *hidden * T(point.interior_seconds);
    if (exposed < T(0)) exposed = T(0);
    const T added = ceres::exp(*log_constant) + exposed;
    *residual = (added - T(point.seconds - point.alone_seconds)) / T(deviation());
    return true;
  }
};

struct Attempt {
  Parameters parameters;
  double cost = 0;
};

Attempt attempt(std::span<const LinkPoint> points, const Parameters& start) {
  double log_constant = std::log(start.constant);
  double log_rate = std::log(start.rate);
  double hidden = start.hidden;
  ceres::Problem problem;
  constexpr double huber_threshold = 1.345;
  for (const LinkPoint& point : points) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<Residual, 1, 1, 1, 1>(new Residual{point}),
        new ceres::HuberLoss(huber_threshold), &log_constant, &log_rate, &hidden);
  }
  problem.SetParameterLowerBound(&log_constant, 0, std::log(1e-9));
  problem.SetParameterUpperBound(&log_constant, 0, std::log(1e-1));
  problem.SetParameterLowerBound(&log_rate, 0, std::log(1e6));
  problem.SetParameterUpperBound(&log_rate, 0, std::log(1e14));
  problem.SetParameterLowerBound(&hidden, 0, 0);
  problem.SetParameterUpperBound(&hidden, 0, 1);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 200;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return {{std::exp(log_constant), std::exp(log_rate), hidden}, summary.final_cost};
}

/// The best of several starts: where rows hide everything, a slope of the cost is nought.
Parameters fitted(std::span<const LinkPoint> points) {
  std::vector<double> added;
  for (const LinkPoint& point : points) {
    added.push_back(std::max(1e-8, point.seconds - point.alone_seconds));
  }
  std::ranges::sort(added);
  const double least = added[added.size() / 4];
  Attempt best{{}, std::numeric_limits<double>::infinity()};
  for (const double hidden : {0.0, 0.3, 0.9}) {
    for (const double rate : {3e10, 3e11}) {
      const Attempt one = attempt(points, {least, rate, hidden});
      if (one.cost < best.cost) best = one;
    }
  }
  return best.parameters;
}

/// Error of each parameter by leaving out one tenth of the points after the other.
Parameters jackknife(std::span<const LinkPoint> points) {
  const std::size_t parts = std::min<std::size_t>(10, points.size());
  std::vector<Parameters> all;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<LinkPoint> others;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % parts != part) others.push_back(points[i]);
    }
    all.push_back(fitted(others));
  }
  const auto error = [&](double Parameters::*member) {
    double mean = 0;
    for (const Parameters& one : all) mean += one.*member / static_cast<double>(parts);
    double squares = 0;
    for (const Parameters& one : all) squares += std::pow(one.*member - mean, 2);
    return std::sqrt(squares * (static_cast<double>(parts) - 1) / static_cast<double>(parts));
  };
  return {error(&Parameters::constant), error(&Parameters::rate), error(&Parameters::hidden)};
}

}  // namespace

std::optional<ExchangeCosts> fit_exchange(std::span<const LinkPoint> points, double& sum_seconds) {
  constexpr std::size_t least = 6;
  if (points.size() < least) return std::nullopt;
  const Parameters parameters = fitted(points);
  const Parameters errors = jackknife(points);
  const double sums = points.front().sums;
  sum_seconds = std::min(sum_seconds, parameters.constant / sums);
  ExchangeCosts costs;
  costs.fixed_seconds = {parameters.constant - sums * sum_seconds, errors.constant};
  costs.gbps = {parameters.rate / giga, errors.rate / giga};
  costs.hidden = {parameters.hidden, errors.hidden};
  return costs;
}

}  // namespace sparsecast
