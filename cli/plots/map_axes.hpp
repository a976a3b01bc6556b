#pragma once

#include <string>
#include <vector>

#include "predict/map/map_grid.hpp"

/// @file
/// What all pictures over unknowns and elements (Figure 8) have, as gnuplot commands. Axes are in
/// log10, where the grid is even and can be an image.

namespace sparsecast::cli {

/// Of the whole picture, in pixels.
inline constexpr int map_width = 900;
inline constexpr int map_height = 640;
/// Of the frame in it, nearly: what lies on the map keeps its distances by them.
inline constexpr double frame_width = 680;
inline constexpr double frame_height = 520;

/// A place on the frame, in pixels from its lower left corner.
struct FramePlace {
  double x = 0;
  double y = 0;
};

/// Places on the axes as shares of the frame, from 0 to 1.
double share_of_unknowns(const MapSizes& sizes, double unknowns);
double share_of_elements(const MapSizes& sizes, double elements);

/// "(x, y)" on the axes of a place in shares of the frame, between them what is told.
std::string place_text(const MapSizes& sizes, double across, double up,
                       const std::string& between = " ");

/// Title, ranges, tics and names of both axes, margins and the place of the key.
std::string axes_commands(const MapSizes& sizes, const std::string& title);

/// A block `$name` with an image of the values of all places: whole cells that end at the frame.
std::string image_data(const std::string& name, const MapSizes& sizes,
                       const std::vector<double>& values);
/// A part of a plot command: that image.
std::string image_plot(const std::string& name, const MapSizes& sizes);

/// Values with those of a neighbour at places just outside the limits between which matrices lie,
/// where they were not a number: so what is drawn goes on to the limits.
std::vector<double> up_to_limits(const MapGrid& grid, const Layout& layout,
                                 const std::vector<double>& values);

/// Blocks with what is outside those limits, and parts of a plot command that paint it white and
/// draw the limits.
std::string limit_data(const MapSizes& sizes);
std::string limit_plots(const MapSizes& sizes);

}  // namespace sparsecast::cli
