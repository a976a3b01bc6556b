#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/text/json_text.hpp"

/// @file
/// What --json prints: objects that begin alike, whatever the command (docs/json.md).

namespace sparsecast::cli {

/// The number of the schemas of docs/schema. It is raised when a member goes, or changes its name
/// or meaning; members may be added without.
inline constexpr int json_schema = 1;

/// An object of `command` with the members that all have: "schema", "sparsecast" (its version) and
/// "command".
JsonObject json_head(std::string_view command);

/// The same with more members.
nlohmann::ordered_json with_json_head(std::string_view command, nlohmann::ordered_json members);

/// JSON text with a line's end. Names that are not UTF-8, as files may have, get replacement
/// characters, and control characters that JSON would leave as they are (U+007F to U+009F) are
/// escaped. `indent` -1: on one line.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace sparsecast::cli
