#pragma once

#include <span>
#include <string>

#include "cli/commands/report/matrix_forecast.hpp"

namespace sparsecast::cli {

/// The part of a report that shows its matrices among all sizes, as HTML: of one profile the
/// performance of one device, of several which is the fastest. Where no map can be made, it says
/// why. Shows progress. Throws `Interrupted` after Ctrl-C.
std::string map_section(std::span<const MatrixForecast> matrices, const ReportRequest& request);

}  // namespace sparsecast::cli
