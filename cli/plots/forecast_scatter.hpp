#pragma once

#include <filesystem>

#include "predict/validation/data/validation_data.hpp"

namespace sparsecast::cli {

/// Draws predicted against measured time of an iteration, or product: one panel a working-set
/// stratum, one colour a schedule and launch mode, the diagonal and 10 % to either side of it.
/// Throws `Error` if no case has a forecast.
void draw_forecasts(const std::filesystem::path& file, const ValidationData& data);

}  // namespace sparsecast::cli
