#pragma once

#include "cli/commands/bench/fusion/fusion_options.hpp"

namespace sparsecast::cli {

/// Measures pipelined solvers beside the textbook's, or reads what was measured, prints it and
/// judges the statements of Rupp, Weinbub, Juengel and Grasser. Returns the exit status. Throws
/// `Interrupted` after an interrupt, with what was measured before kept.
int bench_fusion(const FusionOptions& options);

}  // namespace sparsecast::cli
