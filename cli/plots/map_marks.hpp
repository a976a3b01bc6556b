#pragma once

#include <string>
#include <vector>

#include "cli/plots/map_axes.hpp"
#include "predict/map/map_grid.hpp"
#include "predict/map/performance_map.hpp"

/// @file
/// Matrices on a map, as gnuplot commands.

namespace sparsecast::cli {

/// A block `$name` with the places of points.
std::string point_data(const std::string& name, const std::vector<MapPoint>& points);

/// The names of points beside them, where there is room: in the frame, not on another name or one
/// of the numbers of isolines. None of very many, which would hide the map, and keep gnuplot busy
/// for minutes.
std::string point_labels(const MapSizes& sizes, const std::vector<MapPoint>& points,
                         const std::vector<FramePlace>& numbers);

/// Parts of a plot command: the points of such a block.
std::string point_plots(const std::string& name);

}  // namespace sparsecast::cli
