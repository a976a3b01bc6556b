#pragma once

#include <map>
#include <span>
#include <string>

#include "calibrate/traffic_fit.hpp"
#include "model/product_remainder.hpp"

/// @file
/// Learns from measured products what the terms of the traffic model leave of their times.

namespace sparsecast {

/// A product that was measured.
struct RemainderSample {
  ProductTraits traits{};
  double remainder = 0;  ///< log(measured / terms)
};

/// Gaussian process regression with mean 0 (C. E. Rasmussen and C. K. I. Williams, *Gaussian
/// Processes for Machine Learning*, 2006, equation 2.23) and a fixed ratio of what is left by
/// chance to what products that are alike share. O(n^3). Throws `Error` without samples.
ProductRemainder fit_remainder(std::span<const RemainderSample> samples);

/// Those of all GPU products among the points that are measured alone, with the parameters that
/// were fitted; of groups with few products none.
std::map<Precision, std::map<std::string, ProductRemainder>> fit_remainders(
    std::span<const TrafficPoint> points, const GpuShape& gpu, const TrafficParameters& parameters);

}  // namespace sparsecast
