#pragma once

#include <vector>

#include "predict/validation/data/validation_column.hpp"

namespace sparsecast {

/// Those of all versions, in the order in which they are written.
const std::vector<ValidationColumn>& validation_columns();

}  // namespace sparsecast
