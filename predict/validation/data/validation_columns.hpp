#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// A column of raw data: its name, and how a row's cell is written and read.
struct ValidationColumn {
  std::string_view name;
  std::function<std::string(const ValidationRow&)> write;
  /// Throws `Error` that says what was expected.
  std::function<void(ValidationRow&, std::string_view)> read;
  int since_version = 1;  ///< of raw data (`validation_schema_version`)
};

/// All, in the order in which they are written.
const std::vector<ValidationColumn>& validation_columns();

}  // namespace sparsecast
