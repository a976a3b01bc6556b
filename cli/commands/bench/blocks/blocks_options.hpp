#pragma once

#include <vector>

#include "cli/command.hpp"
#include "cli/commands/bench/blocks/measure_blocks.hpp"
#include "cli/commands/bench/paper/paper_options.hpp"

namespace sparsecast::cli {

/// What `sparsecast bench blocks` was asked for.
struct BlocksOptions : PaperOptions {
  BlocksRequest request;  ///< without `from`
};

/// The options that `blocks` alone has.
void add_blocks_options(CommandLine& line);

/// Throws `UsageError` for what is wrong among the options of `blocks` (not those that it does not
/// have).
BlocksOptions blocks_options(const CommandLine& line);

}  // namespace sparsecast::cli
