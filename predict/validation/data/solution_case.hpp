#pragma once

#include <cstdint>
#include <optional>

#include "core/engine/iteration_count.hpp"
#include "predict/interval.hpp"

namespace sparsecast {

/// What a time to solution is made of (docs/time_to_solution.md).
struct SolutionParts {
  double conversion = 0;
  double upload = 0;  ///< of matrix and vectors
  double start = 0;   ///< making the preconditioner, and the solver's setup
  double iterations = 0;

  double total() const { return conversion + upload + start + iterations; }

  friend bool operator==(const SolutionParts&, const SolutionParts&) = default;
};

/// A whole solve of a case: what was counted, what ran, what was forecast.
struct SolutionCase {
  IterationCount count;  ///< on a device of its own, before the solve

  Outcome outcome = Outcome::iteration_limit;
  std::int64_t iterations = 0;
  std::optional<std::int64_t> cycle_steps{};  ///< as of `IterationCount`
  double amount = 0;                          ///< as of `IterationCount`
  SolutionParts measured;                     ///< of the round with the median total
  /// All of its call, with what no forecast counts: memory, graphs, checks, x read back.
  double call_seconds = 0;

  /// By the profile; none where it lacks what they need, and where the count did not converge.
  std::optional<SolutionParts> predicted{};
  std::optional<Interval> interval{};  ///< 90 % of the total

  friend bool operator==(const SolutionCase& a, const SolutionCase& b);
};

/// Whether the solve on the device converged.
bool converged(const SolutionCase& solution);

}  // namespace sparsecast
