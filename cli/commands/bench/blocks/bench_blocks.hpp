#pragma once

#include "cli/commands/bench/blocks/blocks_options.hpp"

namespace sparsecast::cli {

/// Measures products and solvers as Buatois, Caumon and Levy (2009) did, or reads what was measured
/// before; prints tables and what holds of their statements. Returns the exit status; Ctrl-C ends
/// it early, keeps what was measured and throws `Interrupted`.
int bench_blocks(const BlocksOptions& options);

}  // namespace sparsecast::cli
