#pragma once

#include "core/schedule/solver.hpp"

namespace sparsecast::cli {

/// The solver of schedules/cnc.json, step by step: eight calls an iteration.
const Solver& cnc_solver();

}  // namespace sparsecast::cli
