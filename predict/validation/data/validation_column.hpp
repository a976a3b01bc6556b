#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "predict/validation/data/validation_row.hpp"
#include "predict/validation/data/validation_schema.hpp"

namespace sparsecast {

/// A column of raw data: its name, and how a row's cell is written and read.
struct ValidationColumn {
  std::string_view name;
  std::function<std::string(const ValidationRow&)> write;  ///< none: not written any more
  /// Throws `Error` that says what was expected.
  std::function<void(ValidationRow&, std::string_view)> read;
  /// The versions of raw data that have it (`validation_schema_version`).
  int since_version = 1;
  int last_version = validation_schema_version;
};

}  // namespace sparsecast
