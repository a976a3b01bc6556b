#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/fit/traffic_fit.hpp"
#include "calibrate/sample.hpp"

/// @file
/// How well the traffic model forecasts matrices of a kind that calibration has not seen.

namespace sparsecast {

/// Errors of time, |forecast / measured - 1|. A matrix counts once: those of its samples are
/// averaged first.
struct MatrixErrors {
  std::size_t matrices = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
};

/// What was forecast of a family by a model that was fitted without it.
struct FamilyErrors {
  std::string family;
  MatrixErrors iterations;  ///< of conjugate gradients, by graph or persistent
  MatrixErrors products;    ///< of our kernels, alone
  /// The same of a `PlainRegression` that was trained without it, of products those without sums.
  MatrixErrors regression_iterations;
  MatrixErrors regression_products;
};

/// Fits the samples again without each family in turn, constants and residual model, and forecasts
/// it; the last line, "all", is over all families together. Families without iterations and
/// products of their own are left out. `fitted` is told what share is done. Throws `Error` for
/// samples without a traffic model, and of fewer than two families.
std::vector<FamilyErrors> leave_families_out(const SampleFile& file,
                                             const TrafficFitOptions& options = {},
                                             const std::function<void(double)>& fitted = {});

}  // namespace sparsecast
