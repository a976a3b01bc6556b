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

/// Gaussian process regression with mean 0 (C. E. Rasmussen and C. K. I. Williams, *Gaussian
/// Processes for Machine Learning*, 2006, equation 2.23). The range of each trait, and how much is
/// left by chance, are those that forecast best what each matrix leaves from all others (section
/// 5.4.2, by whole matrices), of at most `searched` samples. O(n^3). Throws `Error` without
/// samples.
Residual fit_residual(std::span<const ResidualSample> samples,
                      std::size_t searched = TrafficFitOptions{}.searched_residuals);

/// With the parameters that were fitted: of all GPU products among the points that are measured
/// alone, and then of what the terms and these leave of iterations. Of groups with few points none.
Residuals fit_residuals(std::span<const TrafficPoint> points, const GpuShape& gpu,
                        const TrafficParameters& parameters,
                        std::size_t searched = TrafficFitOptions{}.searched_residuals);

}  // namespace sparsecast
