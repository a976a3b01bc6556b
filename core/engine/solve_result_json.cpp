#include "core/engine/solve_result_json.hpp"

namespace sparsecast {

JsonObject to_json(const SolveResult& result, std::string_view solver, std::string_view device,
                   const Layout& layout, Precision precision) {
  return {{"outcome", result.outcome_name()},
          {"solver", solver},
          {"iterations", result.iterations},
          {"residual_norm", result.residual_norm},
          {"recurrence_residual_norm", result.recurrence_norm},
          {"right_hand_side_norm", result.right_hand_side_norm},
          {"preconditioned_norm", result.preconditioned_norm},
          {"first_preconditioned_norm", result.first_preconditioned_norm},
          {"seconds_per_iteration", result.seconds_per_iteration()},
          {"iteration_seconds", result.iteration_seconds},
          {"conversion_seconds", result.conversion_seconds},
          {"upload_seconds", result.upload_seconds},
          {"preconditioner_seconds", result.preconditioner_seconds},
          {"start_seconds", result.start_seconds},
          {"finish_seconds", result.finish_seconds},
          {"solution_seconds", result.solution_seconds()},
          {"bytes_per_device", result.bytes_per_device},
          {"device", device},
          {"layout", to_string(layout)},
          {"precision", to_string(precision)}};
}

}  // namespace sparsecast
