#include "calibrate/fit/cost_fit.hpp"

#include <ceres/ceres.h>

#include <cstddef>
#include <utility>

#include "calibrate/fit/median.hpp"

namespace sparsecast {
namespace {

/// Of one point: linear in the numbers.
class RelativeError final : public ceres::CostFunction {
 public:
  explicit RelativeError(std::vector<double> shares) : shares_(std::move(shares)) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(shares_.size()));
  }

  bool Evaluate(double const* const* numbers, double* residual, double** slopes) const override {
    *residual = -1;
    for (std::size_t i = 0; i < shares_.size(); ++i) *residual += numbers[0][i] * shares_[i];
    if (slopes != nullptr && slopes[0] != nullptr) {
      for (std::size_t i = 0; i < shares_.size(); ++i) slopes[0][i] = shares_[i];
    }
    return true;
  }

 private:
  std::vector<double> shares_;  ///< of the terms in the seconds, by numbers of 1
};

}  // namespace

std::vector<double> fit_cost(std::span<const CostPoint> points) {
  if (points.empty()) return {};
  // In units in which each term alone would come to the seconds.
  const std::size_t terms = points.front().terms.size();
  std::vector<double> units;
  for (std::size_t i = 0; i < terms; ++i) {
    std::vector<double> alone;
    for (const CostPoint& point : points) {
      if (point.terms[i] > 0) alone.push_back(point.seconds / point.terms[i]);
    }
    units.push_back(alone.empty() ? 0 : median(std::move(alone)));
  }

  constexpr double far_off = 0.2;
  std::vector<double> numbers(terms, 1 / static_cast<double>(terms));
  ceres::Problem problem;
  ceres::LossFunction* const loss = new ceres::CauchyLoss(far_off);
  for (const CostPoint& point : points) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < terms; ++i) {
      shares.push_back(units[i] * point.terms[i] / point.seconds);
    }
    problem.AddResidualBlock(new RelativeError(std::move(shares)), loss, numbers.data());
  }
  for (std::size_t i = 0; i < terms; ++i) {
    problem.SetParameterLowerBound(numbers.data(), static_cast<int>(i), 0);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-12;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  for (std::size_t i = 0; i < terms; ++i) numbers[i] *= units[i];
  return numbers;
}

}  // namespace sparsecast
