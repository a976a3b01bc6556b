#pragma once

#include <vector>

#include "predict/validation/data/validation_column.hpp"

namespace sparsecast {

/// Those of `SolutionCase`, empty in rows without one.
std::vector<ValidationColumn> solution_columns();

}  // namespace sparsecast
