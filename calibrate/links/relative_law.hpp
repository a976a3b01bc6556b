#pragma once

#include <span>
#include <vector>

#include "model/links/link_costs.hpp"

namespace sparsecast {

/// A measured time as a law has it: `always . x + max(longest[k] . x)` for numbers x >= 0.
struct LawPoint {
  std::vector<double> always;
  std::vector<std::vector<double>> longest;  ///< none: nothing is added
  double seconds = 0;                        ///< positive
  double noise = 0;                          ///< relative standard error
};

/// By x.
double law_seconds(const LawPoint& point, std::span<const double> x);

/// How far the law with numbers x lies off all points, by the loss of `fit_law`; 0 of no points.
double law_misfit(std::span<const LawPoint> points, std::span<const double> x);

/// The numbers x, of which there are `count`, that come nearest: relative least squares by Cauchy's
/// loss. Those that no point has are 0. `errors` are standard errors of the law that is linear
/// near the minimum, from how far the points lie off it, and at least from their noise; 0 where a
/// number is 0.
std::vector<Estimate> fit_law(std::span<const LawPoint> points, int count);

}  // namespace sparsecast
