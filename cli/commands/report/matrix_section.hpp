#pragma once

#include <span>
#include <string>

#include "cli/commands/report/matrix_forecast.hpp"

namespace sparsecast::cli {

/// The part of a report about one matrix, as HTML. `number`: its place among them, from 1, by which
/// links and data of the page are named.
std::string matrix_section(const MatrixForecast& matrix, int number);

/// All matrices beside each other: what to use for each.
std::string comparison_of_matrices(std::span<const MatrixForecast> matrices);

}  // namespace sparsecast::cli
