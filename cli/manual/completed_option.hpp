#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/manual/option_values.hpp"

namespace sparsecast::cli {

/// An option of a command as a shell completes it.
struct CompletedOption {
  std::vector<std::string> names;  ///< with dashes: {"--profile", "-p"}
  std::string description;
  bool takes_value = false;
  OptionValues values;
};

/// Those of a command; positional arguments are options too.
std::vector<CompletedOption> completed_options(const CommandLine& line);

/// What its positional arguments may be, in their order; the last one may come again.
std::vector<OptionValues> positional_values(const CommandLine& line);

}  // namespace sparsecast::cli
