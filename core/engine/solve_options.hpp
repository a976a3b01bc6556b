#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/engine/ranks/rank_part.hpp"
#include "core/engine/run_in_parts.hpp"
#include "core/engine/solve_result.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

struct SolveOptions {
  Layout layout;
  StopRule stop;
  /// "fused" or "algorithm1" (`built_in`). Empty: fused, and algorithm1 for the absolute rule,
  /// which is that schedule's own.
  std::string schedule;
  /// Called some ten times a second while iterating; false ends the solve (`iteration_limit`).
  std::function<bool(const SolveProgress&)> keep_going;
  /// Called after the setup, as iteration 0, and after each iteration with the norm of the residual
  /// by the solver's own recurrence. Iterations then run one by one, which takes longer.
  std::function<void(std::int64_t iteration, double residual_norm)> record{};
  /// Of a system that ranks share, all of which solve it with the same options on a back end for
  /// this part: the matrix, b and x are in its numbers, and what b and x hold for the halo is
  /// finite and not used. `keep_going` then returns the same on all. nullptr: this process has all
  /// of it.
  const RankPart* part = nullptr;
};

}  // namespace sparsecast
