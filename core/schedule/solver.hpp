#pragma once

#include <string>

#include "core/schedule/matrix_kind.hpp"
#include "core/schedule/schedule.hpp"
#include "core/schedule/solver_slots.hpp"

namespace sparsecast {

/// A solver of A x = b: its steps, what their slots mean, and what else there is to know of it, so
/// that whoever runs, times, prices or draws solvers knows none by its name.
struct Solver {
  Schedule schedule;
  SolverSlots slots;
  MatrixKind needs = MatrixKind::square;
  bool vendor = false;      ///< calls of NVIDIA's libraries: runs on one GPU, on cuSPARSE's CSR
  bool persistent = false;  ///< a kernel for all iterations exists (launch mode persistent)
  bool paper = false;       ///< Algorithm 1 as printed: has its stopping rule, and its model

  const std::string& name() const { return schedule.name; }
};

}  // namespace sparsecast
