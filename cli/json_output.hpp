#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparsecast::cli {

/// JSON text with a line's end. Names that are not UTF-8, as files may have, get replacement
/// characters. `indent` -1: on one line.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = 2) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace sparsecast::cli
