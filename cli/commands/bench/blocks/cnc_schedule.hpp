#pragma once

#include "core/schedule/solver.hpp"

namespace sparsecast::cli {

/// The text of schedules/cnc.json, which is compiled into the program.
const char* cnc_schedule_text();

/// The solver of that schedule, step by step: eight calls an iteration.
const Solver& cnc_solver();

}  // namespace sparsecast::cli
