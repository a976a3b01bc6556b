#pragma once

#include <vector>

#include "cli/command.hpp"
#include "cli/commands/bench/formats/measure_formats.hpp"
#include "cli/commands/bench/paper/paper_options.hpp"

namespace sparsecast::cli {

/// What `sparsecast bench formats` was asked for.
struct FormatsOptions : PaperOptions {
  FormatsRequest request;  ///< without `from`
};

/// The options that `formats` alone has.
void add_formats_options(CommandLine& line);

/// Throws `UsageError` for what is wrong among the options of `formats` (not those that it does not
/// have), `Error` for a folder that is none.
FormatsOptions formats_options(const CommandLine& line);

}  // namespace sparsecast::cli
