#pragma once

#include <span>
#include <vector>

#include "cli/commands/bench/fusion/fusion_results.hpp"
#include "cli/commands/bench/paper/judgement.hpp"

/// @file
/// What Rupp, Weinbub, Juengel and Grasser (2016) state of pipelined solvers, each with a rule that
/// says of measurements whether it holds.

namespace sparsecast::cli {

struct FusionStatement : PaperStatement {
  Finding (*judge)(const FusionResults& results);
};

/// P1 to P7, in order.
const std::vector<FusionStatement>& fusion_statements();

/// All statements, each on its devices in the order of the measurements, in f64. What lacks a
/// measurement is not comparable.
std::vector<Judgement> judge_fusion(std::span<const FusionMeasurement> all);

}  // namespace sparsecast::cli
