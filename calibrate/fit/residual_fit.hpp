#pragma once

#include <span>
#include <string>

#include "calibrate/fit/traffic_fit.hpp"
#include "model/traffic/residual.hpp"

/// @file
/// Learns from measured products and iterations what the terms of the traffic model leave of their
/// times.

namespace sparsecast {

/// A product or an iteration that was measured.
struct ResidualSample {
  Traits traits;
  double residual = 0;  ///< log(measured / terms)
  std::string matrix;   ///< samples of one matrix leave alike: none may vouch for another
};

/// Gaussian process regression with mean 0 on few centres in the place of all samples: the subset
/// of regressors (C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning*,
/// 2006, section 8.3.1), whose centres lie, and whose traits have the ranges, where they leave
/// least (E. Snelson and Z. Ghahramani, *Sparse Gaussian Processes using Pseudo-inputs*, 2006, have
/// the idea; here by the penalised squares, whose weights are eliminated). How much is left by
/// chance is what forecasts best what each matrix leaves from all others. One centre for eight
/// samples, at most so many. O(n centres^2) a step. Throws `Error` without samples.
Residual fit_residual(std::span<const ResidualSample> samples, std::size_t most_centres);

/// With the parameters that were fitted: of all GPU products among the points that are measured
/// alone, then of what the terms and these leave of iterations, and of kernels for all iterations.
/// Of groups with few points none.
Residuals fit_residuals(std::span<const TrafficPoint> points, const GpuShape& gpu,
                        const TrafficParameters& parameters);

}  // namespace sparsecast
