#pragma once

#include <filesystem>

namespace sparsecast::cli {

/// Writes what is installed beside the program, as a prefix has it below share: man/man1,
/// bash-completion/completions and zsh/site-functions. The build calls it.
void write_manual(const std::filesystem::path& folder);

}  // namespace sparsecast::cli
