#pragma once

#include <span>
#include <string>

#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/summary/validation_summary.hpp"

namespace sparsecast::cli {

/// What a validation says, as a page for a browser: forecast beside measured, errors and where they
/// are largest. `command`: its words. Throws `Error` if no case has a forecast.
std::string validation_page(const ValidationData& data, const ValidationSummary& summary,
                            std::span<const std::string> command);

}  // namespace sparsecast::cli
