#pragma once

#include "cli/commands/bench/bench_options.hpp"

namespace sparsecast::cli {

/// Measures the paper's mappings, or reads what was measured before, draws and prints. Returns the
/// exit status; Ctrl-C ends it early, keeps what was measured and throws `Interrupted`.
int bench_mappings(const BenchOptions& options);

}  // namespace sparsecast::cli
