#pragma once

#include <string>
#include <vector>

namespace sparsecast::cli {

/// The kinds of matrices that `sparsecast generate` makes, by name: `generate_command.cpp` has
/// them.
std::vector<std::string> generated_kinds();

}  // namespace sparsecast::cli
