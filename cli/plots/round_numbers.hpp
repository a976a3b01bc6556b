#pragma once

#include <cstddef>
#include <vector>

namespace sparsecast::cli {

/// Round numbers from one positive number to another, rising, for tics and isolines of logarithmic
/// axes: powers of ten, or 1, 2, 5, 10, ..., or even steps, whichever is the coarsest of which at
/// least `least` lie in the range. None where the range has no width or is not of finite positive
/// numbers.
std::vector<double> round_numbers(double low, double high, std::size_t least);

}  // namespace sparsecast::cli
