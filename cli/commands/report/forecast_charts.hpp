#pragma once

#include <span>
#include <string>

#include "cli/commands/report/matrix_forecast.hpp"

/// @file
/// Charts of a report about one matrix, as HTML; empty where there is nothing to draw.

namespace sparsecast::cli {

/// Times by profile and layout, on the fewest devices that hold the matrix.
std::string chart_of_layouts(const MatrixForecast& matrix);
/// Times to solution by profile and solver, likewise; for several solvers.
std::string chart_of_solvers(const MatrixForecast& matrix);
/// Times by number of devices; where a profile has several.
std::string chart_of_devices(const MatrixForecast& matrix);
/// Shares of an iteration by what it does, of each profile and number of devices.
std::string chart_of_parts(const MatrixForecast& matrix);
/// How many rows have which length.
std::string chart_of_row_lengths(const MatrixFeatures& features);

}  // namespace sparsecast::cli
