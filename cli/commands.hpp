#pragma once

#include <span>

#include "cli/command.hpp"

namespace sparsecast::cli {

/// All subcommands, in the order of the help text.
std::span<const Command> commands();

}  // namespace sparsecast::cli
