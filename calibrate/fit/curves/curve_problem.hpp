#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/fit_point.hpp"
#include "model/paper/throughput_curve.hpp"

/// @file
/// The least-squares problem that both fits of a throughput curve solve, with Ceres.

namespace sparsecast {

/// A throughput curve as fits vary it.
struct CurveParameters {
  double mu = 0;
  double sigma = 0;
  double log_nu = 0;
  double log_slowdown = 0;  ///< log(nu / memory_nu)
  bool has_memory = false;
  bool sigma_is_fixed = false;

  ThroughputCurve curve() const;
};

/// What a residual's square counts.
enum class CurveLoss {
  squares,
  soft_l1,  ///< for a first guess
  huber,    ///< of `CurveFitOptions::huber_threshold`
};

/// Residuals are (log T_curve - log T_measured) * weight, with T of equation 7 and what misses the
/// cache, within the bounds of a curve.
class CurveProblem {
 public:
  /// A weight a point. `log2_max` is of the largest m.
  CurveProblem(std::span<const FitPoint> points, std::span<const double> weights, double log2_max,
               CurveLoss loss, const CurveFitOptions& options, const CurveParameters& start);
  ~CurveProblem();

  /// How the solver ended.
  struct Ending {
    bool converged = false;
    bool usable = false;  ///< the parameters are better than the start, at least
    int iterations = 0;
    std::string message;  ///< one line
  };
  Ending solve();

  const CurveParameters& parameters() const;

  /// (J^T J)^-1 over (mu, sigma, log nu) without the loss, row major, of the parameters that are
  /// free (a nu at the memory's peak is not); nothing where they are not determined.
  std::optional<std::array<double, 9>> inverse_normal_matrix(bool sigma_is_fixed);

 private:
  struct Ceres;
  std::unique_ptr<Ceres> ceres_;
};

/// Of a bound, relative to the parameter's size: closer than this is "at" it.
inline constexpr double bound_tolerance = 1e-4;

/// Whether nu is at what the memory can deliver at most (`CurveFitOptions::peak_gbps`).
bool is_at_peak(const ThroughputCurve& curve, const CurveFitOptions& options);

/// The reason why a converged fit is at a bound that means "no answer", or empty.
std::string bound_reason(const CurveParameters& parameters, double log2_max,
                         const CurveFitOptions& options);

}  // namespace sparsecast
