#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparsecast::cli {

/// JSON text with a line's end. Names that are not UTF-8, as files may have, get replacement
/// characters, and control characters that JSON would leave as they are (U+007F to U+009F) are
/// escaped. `indent` -1: on one line.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace sparsecast::cli
