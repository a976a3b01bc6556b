#pragma once

#include <span>

namespace sparsecast {

/// The time of parts of these seconds that overlap: their p-norm, between their sum (exponent 1)
/// and the largest of them.
double overlapped(std::span<const double> seconds, double exponent);

}  // namespace sparsecast
