#pragma once

#include "cli/commands/bench/fusion/fusion_results.hpp"
#include "cli/commands/bench/paper/finding.hpp"

/// @file
/// The rules of the statements (`FusionStatement::judge`). What each asks for is the `rule` of its
/// statement, in `fusion_statements.cpp`.

namespace sparsecast::cli {

Finding two_kernels_and_one_wait(const FusionResults& results);
Finding pipelined_is_twice_as_fast(const FusionResults& results);
Finding small_systems_gain(const FusionResults& results);
Finding fused_dots_double_bandwidth(const FusionResults& results);
Finding gram_schmidt_is_twice_as_fast(const FusionResults& results);
Finding unpreconditioned_competes(const FusionResults& results);
Finding recurrence_is_harmless(const FusionResults& results);

}  // namespace sparsecast::cli
