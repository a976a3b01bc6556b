#pragma once

#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast {

/// A solver as a schedule: one that comes with the program, or the user's own.
struct OwnSchedule {
  Method method;
  NamedNumbers settings{};  ///< of its parameters
  Execution execution = Execution::fused;

  /// What a model prices. Throws like `OwnSolver`.
  Solver priced() const;
};

}  // namespace sparsecast
