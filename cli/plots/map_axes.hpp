#pragma once

#include <string>
#include <vector>

#include "predict/map/map_grid.hpp"
#include "predict/map/performance_map.hpp"

/// @file
/// What all pictures over unknowns and elements (Figure 8) have, as gnuplot commands. Axes are in
/// log10, where the grid is even and can be an image.

namespace sparsecast::cli {

/// Ranges, tics and names of both axes, margins and the place of the key.
std::string axes_commands(const MapSizes& sizes);

/// The named data that a plot takes from a block `$name` with every `stride`-th row and column of
/// the grid.
std::string grid_data(const std::string& name, const MapSizes& sizes, int stride);

/// Contours of such data as lines in a block `$name`.
std::string contour_commands(const std::string& name, const std::vector<double>& levels,
                             const std::string& data);

/// Parts of a plot command: those lines at the contours of `$name`, with their values by a format.
std::string contour_plots(const std::string& name, const std::string& format);

/// Parts of a plot command: the limits between which matrices lie.
std::string limit_plots(const MapSizes& sizes);

/// A block `$name` with the places of points.
std::string point_data(const std::string& name, const std::vector<MapPoint>& points);
/// The names of points beside them; none of very many, which would hide the map, and keep gnuplot
/// busy for minutes.
std::string point_labels(const std::vector<MapPoint>& points);
/// Parts of a plot command: the points of such a block.
std::string point_plots(const std::string& name);

}  // namespace sparsecast::cli
