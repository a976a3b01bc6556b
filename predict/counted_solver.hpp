#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/engine/iteration_count.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/solver.hpp"

/// @file
/// Time to solution: a solver whose iterations have been counted, with what else its time is made
/// of.

namespace sparsecast {

struct CountedSolver {
  IterationCount count;
  std::optional<Solver> own{};         ///< the user's (`OwnSolver::priced`); else one of `built_in`
  std::optional<Solver> setup{};       ///< its steps before the first iteration, as an iteration
  std::optional<Solver> last_cycle{};  ///< restarted where its last cycle ended
};

/// One of ours, by `count.solver`. Throws like `built_in`.
CountedSolver counted_solver(const IterationCount& count);

/// A method, with `count.settings`. Throws like `OwnSolver`.
CountedSolver counted_solver(const IterationCount& count, const Method& method);

/// Why none of them converged, with the outcome of each and what to do; empty where one did.
std::string why_none_solves(std::span<const CountedSolver> counted);

}  // namespace sparsecast
