#pragma once

#include <string>

#include "cli/command.hpp"

/// @file
/// Manual pages, in the roff macros of man(7), from what the program itself says of its commands
/// and options.

namespace sparsecast::cli {

/// sparsecast.1: the commands, what all have, and the environment.
std::string program_manual_page();

/// sparsecast-COMMAND.1
std::string manual_page(const Command& command);

}  // namespace sparsecast::cli
