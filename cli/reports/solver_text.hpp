#pragma once

#include <string>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast::cli {

/// "fused persistent": what ran.
std::string solver_text(const ValidationRow& row);

}  // namespace sparsecast::cli
