#pragma once

#include <span>

#include "calibrate/fit/traffic_fit.hpp"
#include "model/traffic/remainder.hpp"

/// @file
/// Learns from measured products and iterations what the terms of the traffic model leave of their
/// times.

namespace sparsecast {

/// A product or an iteration that was measured.
struct RemainderSample {
  Traits traits;
  double remainder = 0;  ///< log(measured / terms)
};

/// Gaussian process regression with mean 0 (C. E. Rasmussen and C. K. I. Williams, *Gaussian
/// Processes for Machine Learning*, 2006, equation 2.23) and a fixed ratio of what is left by
/// chance to what those that are alike share. O(n^3). Throws `Error` without samples.
Remainder fit_remainder(std::span<const RemainderSample> samples);

/// With the parameters that were fitted: of all GPU products among the points that are measured
/// alone, and then of what the terms and these leave of iterations. Of groups with few points none.
Remainders fit_remainders(std::span<const TrafficPoint> points, const GpuShape& gpu,
                          const TrafficParameters& parameters);

}  // namespace sparsecast
