#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/bench/formats/measure_formats.hpp"

namespace sparsecast::cli {

/// What `sparsecast bench formats` was asked for.
struct FormatsOptions {
  FormatsRequest request;         ///< without `from`
  std::vector<std::string> from;  ///< measurements of before
  std::string csv;                ///< file to write, empty: none
  bool markdown = false;
  bool json = false;
};

/// The options that `formats` alone has.
void add_formats_options(CommandLine& line);
/// The names of those options.
const std::vector<const char*>& formats_option_names();

/// Throws `UsageError` for what is wrong among the options of `formats` (not those that it does not
/// have), `Error` for a folder that is none.
FormatsOptions formats_options(const CommandLine& line);

}  // namespace sparsecast::cli
