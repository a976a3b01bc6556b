#pragma once

#include <filesystem>
#include <span>

#include "predict/validation/data/validation_data.hpp"

namespace sparsecast::cli {

/// Draws Figure 10 into a file (.svg, .png, .pdf): one panel a block size (and precision), the
/// matrices on the x axis in the order of their dimension, effective GFlop/s measured as points and
/// predicted as lines, one colour a number of devices. Of the solvers one is drawn, Algorithm 1
/// where it was measured (as a graph on a GPU). Renumbered cases are left out, and generated
/// matrices unless there are no others. Throws `Error` if no case is left.
void draw_validation(const std::filesystem::path& file, std::span<const ValidationRow> rows);

/// Draws predicted against measured time of an iteration, or product: one panel a working-set
/// stratum, one colour a schedule and launch mode, the diagonal and 10 % to either side of it.
/// Throws `Error` if no case has a forecast.
void draw_forecasts(const std::filesystem::path& file, std::span<const ValidationRow> rows);

}  // namespace sparsecast::cli
