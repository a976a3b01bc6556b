#include "calibrate/fit/curves/curve_problem.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "calibrate/fit/formatted.hpp"

namespace sparsecast {

namespace {

constexpr double bytes_per_gigabyte = 1e9;

constexpr double mu_min = 0;          ///< half performance at one element
constexpr double octaves_beyond = 2;  ///< half performance at 4 m_max
constexpr double log_slowdown_max = 6;

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

/// Null: plain squares.
ceres::LossFunction* loss_function(CurveLoss loss, const CurveFitOptions& options) {
  switch (loss) {
    case CurveLoss::squares:
      return nullptr;
    case CurveLoss::soft_l1:
      return new ceres::SoftLOneLoss(1);
    case CurveLoss::huber:
      return new ceres::HuberLoss(options.huber_threshold);
  }
  return nullptr;
}

}  // namespace

ThroughputCurve CurveParameters::curve() const {
  return {mu, sigma, std::exp(log_nu), has_memory ? std::exp(log_nu - log_slowdown) : 0};
}

struct CurveProblem::Ceres {
  CurveParameters parameters;
  CurveFitOptions options;
  ceres::Problem problem;
};

CurveProblem::CurveProblem(std::span<const FitPoint> points, std::span<const double> weights,
                           double log2_max, CurveLoss loss, const CurveFitOptions& options,
                           const CurveParameters& start)
    : ceres_(std::make_unique<Ceres>()) {
  ceres_->options = options;
  CurveParameters& fitted = ceres_->parameters;
  fitted = start;
  if (options.peak_gbps > 0) fitted.log_nu = std::min(fitted.log_nu, std::log(options.peak_gbps));
  ceres::Problem& problem = ceres_->problem;
  ceres::LossFunction* const function = loss_function(loss, options);
  for (std::size_t i = 0; i < points.size(); ++i) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<LogTimeResidual, 1, 1, 1, 1, 1>(
                                 new LogTimeResidual(points[i], weights[i])),
                             function, &fitted.mu, &fitted.sigma, &fitted.log_nu,
                             &fitted.log_slowdown);
  }
  if (fitted.has_memory) {
    problem.SetParameterLowerBound(&fitted.log_slowdown, 0, 0);
    problem.SetParameterUpperBound(&fitted.log_slowdown, 0, log_slowdown_max);
  } else {
    problem.SetParameterBlockConstant(&fitted.log_slowdown);
  }
  problem.SetParameterLowerBound(&fitted.mu, 0, mu_min);
  problem.SetParameterUpperBound(&fitted.mu, 0, log2_max + octaves_beyond);
  if (options.peak_gbps > 0) {
    problem.SetParameterUpperBound(&fitted.log_nu, 0, std::log(options.peak_gbps));
  }
  problem.SetParameterLowerBound(&fitted.sigma, 0, latency_bandwidth_sigma);
  problem.SetParameterUpperBound(&fitted.sigma, 0, options.max_sigma);
  if (fitted.sigma_is_fixed) problem.SetParameterBlockConstant(&fitted.sigma);
}

CurveProblem::~CurveProblem() = default;

CurveProblem::Ending CurveProblem::solve() {
  ceres::Solver::Options solver;
  solver.trust_region_strategy_type = ceres::LEVENBERG_MARQUARDT;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.max_num_iterations = ceres_->options.max_iterations;
  solver.function_tolerance = 1e-12;
  solver.parameter_tolerance = 1e-10;
  solver.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &ceres_->problem, &summary);
  return {summary.termination_type == ceres::CONVERGENCE, summary.IsSolutionUsable(),
          static_cast<int>(summary.iterations.size()), summary.message};
}

const CurveParameters& CurveProblem::parameters() const {
  return ceres_->parameters;
}

std::optional<std::array<double, 9>> CurveProblem::inverse_normal_matrix(bool sigma_is_fixed) {
  CurveParameters& fitted = ceres_->parameters;
  if (sigma_is_fixed) ceres_->problem.SetParameterBlockConstant(&fitted.sigma);
  if (is_at_peak(fitted.curve(), ceres_->options)) {
    ceres_->problem.SetParameterBlockConstant(&fitted.log_nu);
  }
  ceres::Covariance::Options options;
  options.algorithm_type = ceres::DENSE_SVD;
  options.apply_loss_function = false;
  ceres::Covariance covariance(options);
  const std::vector<const double*> blocks{&fitted.mu, &fitted.sigma, &fitted.log_nu};
  std::array<double, 9> matrix{};
  if (!covariance.Compute(blocks, &ceres_->problem) ||
      !covariance.GetCovarianceMatrix(blocks, matrix.data())) {
    return std::nullopt;
  }
  return matrix;
}

bool is_at_peak(const ThroughputCurve& curve, const CurveFitOptions& options) {
  return options.peak_gbps > 0 && curve.nu > options.peak_gbps * (1 - bound_tolerance);
}

std::string bound_reason(const CurveParameters& parameters, double log2_max,
                         const CurveFitOptions& options) {
  if (parameters.mu < mu_min + bound_tolerance) {
    return "mu is at its lower bound 0: the samples show no rise of throughput; measure smaller m";
  }
  const double mu_max = log2_max + octaves_beyond;
  if (parameters.mu > mu_max - bound_tolerance) {
    return formatted(
        "mu is at its upper bound %.1f: throughput still rises at the largest m; measure "
        "larger m",
        mu_max);
  }
  if (parameters.sigma > options.max_sigma * (1 - bound_tolerance)) {
    return formatted("sigma is at its upper bound %g: the samples do not follow a sigmoid",
                     options.max_sigma);
  }
  return {};
}

}  // namespace sparsecast
