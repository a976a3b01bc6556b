#pragma once

#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "core/workload/layout.hpp"

/// @file
/// --layout and --block: how matrices are stored.

namespace sparsecast::cli {

/// Adds --layout NAMES ("csr,dia,bcsr4-sorted") and --block NS, -b NS ("1,4", short for csr,bcsr4).
void add_layouts_option(CommandLine& line);
/// Adds --layout NAME and --block N, -b N.
void add_layout_option(CommandLine& line);

/// The layouts of --layout or --block in their order; empty where neither is given. Throws
/// `UsageError` for both, for a layout that nobody knows (with the nearest that there is), for a
/// block size without kernels, and for one that is given twice.
std::vector<Layout> layouts_of(const CommandLine& line);

/// The one layout; nothing where none is given. Throws like `layouts_of`, and for several.
std::optional<Layout> layout_of(const CommandLine& line);

}  // namespace sparsecast::cli
