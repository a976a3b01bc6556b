#pragma once

#include <span>
#include <vector>

namespace sparsecast {

/// What a measured time may be made of, each of which costs something.
struct CostPoint {
  std::vector<double> terms;  ///< 1 for what is always there, bytes, rows, ...; not negative
  double seconds = 0;         ///< positive
};

/// Numbers k_i >= 0 with sum k_i * terms_i = seconds. Relative least squares in which a point that
/// is off by much more than a fifth counts little (Cauchy's loss): what is done once may wait for
/// memory or another process. All points have as many terms. Empty where there are no points.
std::vector<double> fit_cost(std::span<const CostPoint> points);

}  // namespace sparsecast
