#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparsecast::cli {

/// Lines as ones of at most `most` characters, broken at spaces; what goes on in the next is
/// indented there, and ends with `end`.
std::string wrapped_lines(std::string_view lines, std::size_t most, std::string_view end = "",
                          std::string_view indent = "      ");

}  // namespace sparsecast::cli
