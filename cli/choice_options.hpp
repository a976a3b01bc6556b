#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/workload/launch_mode.hpp"

/// @file
/// Options that take a list of known names.

namespace sparsecast::cli {

/// The names between commas.
std::vector<std::string> split_names(const std::string& text);

/// The names in an option's list, each of which must be known; "all" means all of them.
/// Throws `UsageError` for others.
std::vector<std::string> parse_choice(const CommandLine& line, const char* option,
                                      const std::vector<std::string>& known);
/// The same of a text.
std::vector<std::string> parse_choice(const std::string& option, const std::string& text,
                                      const std::vector<std::string>& known);

/// The launch modes of --launch. Throws `UsageError` for a name that is none.
std::vector<LaunchMode> launch_modes_of(const CommandLine& line);

}  // namespace sparsecast::cli
