#pragma once

#include "cli/command.hpp"
#include "cli/commands/bench/fusion/measure_fusion.hpp"
#include "cli/commands/bench/paper/paper_options.hpp"

namespace sparsecast::cli {

/// What `sparsecast bench fusion` was asked for.
struct FusionOptions : PaperOptions {
  FusionRequest request;  ///< without `from`
};

/// The options that `fusion` alone has.
void add_fusion_options(CommandLine& line);

/// Throws `UsageError` for what is wrong among the options of `fusion` (not those that it does not
/// have), and `Error` for a folder without matrices.
FusionOptions fusion_options(const CommandLine& line);

}  // namespace sparsecast::cli
