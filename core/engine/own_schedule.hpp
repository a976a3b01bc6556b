#pragma once

#include <span>
#include <vector>

#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/method/preconditioner.hpp"
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

/// The preconditioners that are compared where nobody names some.
std::vector<Preconditioner> usual_preconditioners();

/// What becomes of schedules that leave no choice of a preconditioner.
enum class WithoutChoice { refused, kept, left_out };

/// One of each schedule and preconditioner. Throws `Error` for a preconditioner that is there
/// twice, and unless they are left out also like `with_preconditioner`, and for a schedule without
/// a choice: for each where these are refused, where they are kept only if no schedule has one.
std::vector<OwnSchedule> with_preconditioners(std::span<const OwnSchedule> schedules,
                                              std::span<const Preconditioner> wanted,
                                              WithoutChoice without_choice);

}  // namespace sparsecast
