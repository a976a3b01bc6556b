#include "calibrate/links/relative_law.hpp"

#include <ceres/ceres.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/statistics.hpp"

namespace sparsecast {
namespace {

double product(const std::vector<double>& factors, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) sum += factors[i] * x[i];
  return sum;
}

/// Of those that the longest is sought of; null where there is none.
const std::vector<double>* longest_of(const LawPoint& point, std::span<const double> x) {
  const auto longest = std::ranges::max_element(point.longest, {},
                                                [&](const auto& each) { return product(each, x); });
  return longest == point.longest.end() ? nullptr : &*longest;
}

/// By how much the point's seconds grow with each number.
std::vector<double> slopes_of(const LawPoint& point, std::span<const double> x) {
  std::vector<double> slopes = point.always;
  if (const std::vector<double>* const longest = longest_of(point, x)) {
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] += (*longest)[i];
  }
  return slopes;
}

/// Of one point, in units of the numbers.
class RelativeError final : public ceres::CostFunction {
 public:
  RelativeError(const LawPoint& point, const std::vector<double>& units)
      : point_(point), units_(units) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(units.size()));
  }

  bool Evaluate(double const* const* numbers, double* residual, double** slopes) const override {
    std::vector<double> x(numbers[0], numbers[0] + units_.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= units_[i];
    *residual = law_seconds(point_, x) / point_.seconds - 1;
    if (slopes != nullptr && slopes[0] != nullptr) {
      const std::vector<double> all = slopes_of(point_, x);
      for (std::size_t i = 0; i < x.size(); ++i) slopes[0][i] = all[i] * units_[i] / point_.seconds;
    }
    return true;
  }

 private:
  const LawPoint& point_;
  const std::vector<double>& units_;
};

/// What each number would be if it alone came to the shortest time that it has a part in; 0 for one
/// that has none. There a fit begins.
std::vector<double> units_of(std::span<const LawPoint> points, std::size_t count) {
  std::vector<double> units(count, std::numeric_limits<double>::infinity());
  for (const LawPoint& point : points) {
    const auto bound = [&](const std::vector<double>& factors) {
      for (std::size_t i = 0; i < count; ++i) {
        if (factors[i] > 0) units[i] = std::min(units[i], point.seconds / factors[i]);
      }
    };
    bound(point.always);
    for (const std::vector<double>& each : point.longest) bound(each);
  }
  std::ranges::replace_if(
      units, [](double unit) { return std::isinf(unit); }, 0.0);
  return units;
}

/// A number that is not nought in the units of a fit.
constexpr double least_number = 1e-6;
/// Points that are off by much more count little, unless most of them are.
constexpr double far_off = 0.2;

double error_of(const LawPoint& point, std::span<const double> x) {
  return law_seconds(point, x) / point.seconds - 1;
}

/// 0 of no points.
double median_error(std::span<const LawPoint> points, std::span<const double> x) {
  std::vector<double> errors;
  for (const LawPoint& point : points) errors.push_back(std::abs(error_of(point, x)));
  return quantile(std::move(errors), 0.5);
}

/// In the units of the fit.
std::vector<double> errors_of(std::span<const LawPoint> points, std::span<const double> x,
                              const std::vector<double>& units, double scale) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (units[i] > 0 && x[i] > least_number * units[i]) free.push_back(i);
  }
  std::vector<double> errors(x.size());
  if (free.empty()) return errors;
  const auto rows = static_cast<Eigen::Index>(points.size());
  const auto columns = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd slopes(rows, columns);
  double squares = 0;
  double weights = 0;
  double noises = 0;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const LawPoint& point = points[static_cast<std::size_t>(row)];
    const double off = error_of(point, x);
    const double weight = 1 / (1 + off * off / (scale * scale));  // as the loss has it
    const std::vector<double> all = slopes_of(point, x);
    for (Eigen::Index column = 0; column < columns; ++column) {
      const std::size_t i = free[static_cast<std::size_t>(column)];
      slopes(row, column) = std::sqrt(weight) * all[i] * units[i] / point.seconds;
    }
    squares += weight * off * off;
    weights += weight;
    noises += weight * point.noise * point.noise;
  }
  const double more = weights - static_cast<double>(columns);
  const double variance = std::max(noises / weights, more > 0 ? squares / more : 0);
  const Eigen::MatrixXd covariance = Eigen::MatrixXd(slopes.transpose() * slopes)
                                         .completeOrthogonalDecomposition()
                                         .pseudoInverse();
  for (Eigen::Index column = 0; column < columns; ++column) {
    errors[free[static_cast<std::size_t>(column)]] =
        std::sqrt(std::max(0.0, variance * covariance(column, column)));
  }
  return errors;
}

/// Moves the numbers, in units of the fit, to the nearest minimum.
void approach(std::span<const LawPoint> points, const std::vector<double>& units, double scale,
              std::vector<double>& numbers) {
  if (points.empty()) return;
  ceres::Problem problem;
  ceres::LossFunction* const loss = new ceres::CauchyLoss(scale);
  for (const LawPoint& point : points) {
    problem.AddResidualBlock(new RelativeError(point, units), loss, numbers.data());
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    problem.SetParameterLowerBound(numbers.data(), static_cast<int>(i), 0);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 500;
  options.function_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
}

}  // namespace

double law_seconds(const LawPoint& point, std::span<const double> x) {
  const std::vector<double>* const longest = longest_of(point, x);
  return product(point.always, x) + (longest != nullptr ? product(*longest, x) : 0);
}

double law_misfit(std::span<const LawPoint> points, std::span<const double> x) {
  double sum = 0;
  for (const LawPoint& point : points) {
    const double off = error_of(point, x) / far_off;
    sum += std::log1p(off * off);
  }
  return sum;
}

std::vector<Estimate> fit_law(std::span<const LawPoint> points, int count) {
  const auto size = static_cast<std::size_t>(count);
  const std::vector<double> units = units_of(points, size);
  std::vector<double> numbers(size, 1);
  std::vector<double> x(size);
  // From a loss that nearly is least squares on: where all points are far off, none would count.
  double scale = 100 * far_off;
  for (int round = 0; round < 3; ++round) {
    approach(points, units, scale, numbers);
    for (std::size_t i = 0; i < size; ++i) x[i] = numbers[i] * units[i];
    scale = round == 0 ? 10 * far_off : std::max(far_off, 2 * median_error(points, x));
  }
  const std::vector<double> errors = errors_of(points, x, units, scale);
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < size; ++i) estimates.push_back({x[i], errors[i] * units[i]});
  return estimates;
}

}  // namespace sparsecast
