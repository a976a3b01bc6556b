#pragma once

#include <string>
#include <string_view>

#include "core/base/text/json_text.hpp"

/// @file
/// The one place where texts and data become HTML. Names of files and texts of profiles come from
/// anywhere.

namespace sparsecast::cli {

/// A text for between tags, and for attributes in quotes. What is not UTF-8, and control
/// characters, are written as \xNN.
std::string html_text(std::string_view text);

/// A value for a script element of type application/json, which nothing in it can end.
std::string html_json(const JsonValue& value);

/// Times in "us" with the sign that a browser has for it: "3.57 us, or 12 us" becomes "3.57
/// \u00b5s, or 12 \u00b5s".
std::string with_micro_signs(std::string text);

}  // namespace sparsecast::cli
