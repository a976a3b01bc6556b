#pragma once

#include <span>
#include <vector>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// What a user would choose by the forecasts: of each matrix, renumbering and precision the case
/// that is predicted fastest, among our schedules in all layouts, launch modes and numbers of
/// devices. Cases without a forecast take no part.
std::vector<ValidationRow> recommended_cases(std::span<const ValidationRow> rows);

}  // namespace sparsecast
