#pragma once

#include "cli/commands/bench/blocks/block_results.hpp"
#include "cli/commands/bench/paper/finding.hpp"

/// @file
/// The rules of the statements (`BlockStatement::judge`). What each asks for is the `rule` of its
/// statement, in `block_statements.cpp`.

namespace sparsecast::cli {

Finding larger_blocks_are_faster(const BlockResults& results, const BlockResults& cpu);
Finding strips_beat_blocks(const BlockResults& results, const BlockResults& cpu);
Finding order_does_not_matter(const BlockResults& results, const BlockResults& cpu);
Finding product_is_most_of_cg(const BlockResults& results, const BlockResults& cpu);
Finding gpu_cg_beats_cpu(const BlockResults& results, const BlockResults& cpu);
Finding overheads_are_small(const BlockResults& results, const BlockResults& cpu);
Finding dots_of_512_are_best(const BlockResults& results, const BlockResults& cpu);
Finding single_precision_converges(const BlockResults& results, const BlockResults& cpu);
Finding saxpy_is_of_bandwidth(const BlockResults& results, const BlockResults& cpu);

}  // namespace sparsecast::cli
