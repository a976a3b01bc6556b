#pragma once

#include <span>
#include <vector>

/// @file
/// What many numbers are summed up by.

namespace sparsecast {

/// 0 for none.
double mean(std::span<const double> values);
/// 0 for fewer than two.
double sample_variance(std::span<const double> values);

/// The smallest value that at least this share of the values do not exceed (nearest rank); 0 for
/// none.
double quantile(std::vector<double> values, double share);

}  // namespace sparsecast
