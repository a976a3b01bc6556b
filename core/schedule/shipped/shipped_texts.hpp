#pragma once

#include <string_view>
#include <vector>

namespace sparsecast {

/// A file of schedules/.
struct ShippedText {
  std::string_view name;  ///< without ".json"
  std::string_view json;
};

/// All of them, by name. The build writes this list (cmake/embed_schedules.cmake).
const std::vector<ShippedText>& shipped_texts();

}  // namespace sparsecast
