#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// @file
/// Isolines of values on a grid, as the places where they cross the lines of the grid.

namespace sparsecast {

/// A place in steps of the grid: 1.5 is between the second and the third column.
struct ContourPoint {
  double column = 0;
  double row = 0;
};

/// A line from place to place; closed where the last is the first.
using ContourLine = std::vector<ContourPoint>;

/// The lines along which the values are `level`, linear between neighbours. Values are row by row,
/// `columns` each; lines end where a value is not a number. Throws `Error` unless the values are
/// whole rows.
std::vector<ContourLine> contour_lines(std::span<const double> values, std::size_t columns,
                                       double level);

}  // namespace sparsecast
