#pragma once

#include <string>
#include <vector>

#include "core/engine/own_schedule.hpp"
#include "core/schedule/solver.hpp"
#include "python/bindings/arguments.hpp"

namespace sparsecast::python {

/// The arguments "solver" (names or schedules), "restart", "precondition" and "settings" of a call.
struct ChosenSolvers {
  std::vector<std::string> built_in;  ///< names of solvers of ours (`built_in_solvers`)
  std::vector<OwnSchedule> own;
  bool all = false;  ///< all that come with the program were chosen together, by "all"
};

/// Where no solver is chosen, all are if `all_by_default`. Throws `Error` for names and files that
/// there are not, and for settings that fit none of the schedules.
ChosenSolvers chosen_solvers(const Arguments& arguments, bool all_by_default = false);

/// Throws `Error` that names "solver", or the "precondition" that makes several of one, where these
/// are more than one. `how_several`: what the message says of several.
void require_one(const Arguments& arguments, const ChosenSolvers& chosen,
                 const std::string& how_several = "");

/// The same where no more than one schedule may be named, and none of ours.
std::optional<Solver> chosen_solver(const Arguments& arguments,
                                    const std::string& how_several = "");

}  // namespace sparsecast::python
