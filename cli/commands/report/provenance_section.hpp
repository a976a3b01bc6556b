#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/report/matrix_forecast.hpp"

namespace sparsecast::cli {

/// The part of a report that says how it was made, as HTML: profiles, settings, version and
/// command. `command`: of the command.
std::string provenance_section(std::span<const MatrixForecast> matrices,
                               const ReportRequest& request, std::span<const std::string> command);

}  // namespace sparsecast::cli
