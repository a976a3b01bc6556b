#pragma once

#include <string>
#include <string_view>

/// @file
/// What every page has in it, made by `cmake/embed_page.cmake` from `cli/html/web`.

namespace sparsecast::cli {

const std::string& page_script();    ///< draws the charts
const std::string& page_style();     ///< the style sheet
const std::string& page_licences();  ///< of what the script has of others

/// The hashes by which a content security policy allows script and style sheet: "sha256-...".
std::string_view page_script_hash();
std::string_view page_style_hash();

}  // namespace sparsecast::cli
