#pragma once

#include <filesystem>

#include "core/base/buffer.hpp"

namespace sparsecast {

/// Does a path mean standard input: `-`?
bool is_standard_input(const std::filesystem::path& path);

/// All that standard input brings until its end. It comes once: a second call throws `Error`, as
/// does a terminal, where nobody means it ("what; what was expected").
Buffer<char> read_standard_input();

}  // namespace sparsecast
