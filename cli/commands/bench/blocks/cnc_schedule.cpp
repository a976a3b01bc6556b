#include "cli/commands/bench/blocks/cnc_schedule.hpp"

#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast::cli {

const Solver& cnc_solver() {
  static const Solver solver = [] {
    const Method& method = shipped_method("cnc");
    Solver made = lower(method, known_parameters(method), Execution::step_by_step);
    // What its own test is of; it has no role for the norm of the residual.
    made.slots.residual = "delta";
    made.slots.residual_is_square = true;
    return made;
  }();
  return solver;
}

}  // namespace sparsecast::cli
