#include "core/engine/own_schedule.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/engine/own_solver.hpp"

namespace sparsecast {
namespace {

bool leaves_choice(const OwnSchedule& schedule) {
  return has_preconditioner(schedule.method);
}

}  // namespace

Solver OwnSchedule::priced() const {
  return OwnSolver(method, settings).priced();
}

std::vector<Preconditioner> usual_preconditioners() {
  return {Preconditioner::none, Preconditioner::jacobi, Preconditioner::chebyshev(3)};
}

std::vector<OwnSchedule> with_preconditioners(std::span<const OwnSchedule> schedules,
                                              std::span<const Preconditioner> wanted,
                                              WithoutChoice without_choice) {
  for (const Preconditioner& each : wanted) {
    if (std::ranges::count(wanted, each) > 1) throw Error(to_string(each) + " is there twice");
  }
  bool keeps = without_choice == WithoutChoice::kept;
  if (std::ranges::none_of(schedules, leaves_choice)) keeps = false;
  std::vector<OwnSchedule> made;
  for (const OwnSchedule& schedule : schedules) {
    if (!leaves_choice(schedule)) {
      if (keeps) {
        made.push_back(schedule);
      } else if (without_choice != WithoutChoice::left_out) {
        throw Error(schedule.method.name + " leaves no choice; leave it out");
      }
      continue;
    }
    for (const Preconditioner& each : wanted) {
      try {
        made.push_back(
            {with_preconditioner(schedule.method, each), schedule.settings, schedule.execution});
      } catch (const Error&) {
        if (without_choice != WithoutChoice::left_out) throw;
      }
    }
  }
  return made;
}

}  // namespace sparsecast
