#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/plots/map_axes.hpp"
#include "predict/map/map_grid.hpp"

namespace sparsecast::cli {

/// Isolines on a map: gnuplot commands for before the plot, and parts of the plot command.
struct Isolines {
  std::string commands;  ///< data, and a number on each line that has room for one
  std::string plots;     ///< empty where no place has one of the values
  std::vector<FramePlace> numbers;
};

/// Thin lines along which the values are one of the levels, each with its number and this behind it
/// (" x"). `values` are those of all places (`up_to_limits`); what is outside the limits is for
/// `limit_plots` to hide.
Isolines isolines(const MapSizes& sizes, const std::vector<double>& values,
                  const std::vector<double>& levels, const std::string& unit = "");

/// A thick line without a number.
Isolines thick_isoline(const MapSizes& sizes, const std::vector<double>& values, double level);
/// A part of a plot command: its entry in the key. Behind `limit_plots`, which paint over what the
/// key has by then.
std::string thick_isoline_entry(const std::string& title);

}  // namespace sparsecast::cli
