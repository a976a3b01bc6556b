#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sparsecast {

/// Writes a file so that it appears whole or not at all: to a temporary name in the same folder,
/// then renamed over `path`. Throws `Error` with the path and the system's reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Whole content of a file. Throws `Error` with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace sparsecast
