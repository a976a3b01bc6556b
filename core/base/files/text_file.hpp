#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/base/files/file_output.hpp"

namespace sparsecast {

/// The text of a file that is plain or compressed by gzip (by content, not by name; of one or
/// several members). As `read_file`; `largest` holds for the text. Damaged or truncated gzip data
/// throws `Error` ("PATH:LINE: what; what was expected"), LINE being the first that is not whole.
std::string read_text(const std::filesystem::path& path, std::size_t largest = largest_read_file);

/// Text as a file of this name holds it: compressed by gzip if the name ends in .gz, else as it is.
std::string text_for(const std::filesystem::path& path, std::string text);

}  // namespace sparsecast
