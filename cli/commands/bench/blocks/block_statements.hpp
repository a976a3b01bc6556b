#pragma once

#include <span>
#include <vector>

#include "cli/commands/bench/blocks/block_results.hpp"
#include "cli/commands/bench/paper/judgement.hpp"

/// @file
/// What Buatois, Caumon and Levy (2009) state of their solver, each with a rule that says of
/// measurements whether it holds.

namespace sparsecast::cli {

struct BlockStatement : PaperStatement {
  /// `cpu`: of the first CPU, empty where none was measured.
  Finding (*judge)(const BlockResults& results, const BlockResults& cpu);
};

/// C1 to C9, in order.
const std::vector<BlockStatement>& block_statements();

/// All statements, each on its devices in the order of the measurements. What lacks a measurement
/// is not comparable, and what was measured at other scales than 1 says nothing.
std::vector<Judgement> judge_blocks(std::span<const BlockMeasurement> all);

}  // namespace sparsecast::cli
