#pragma once

#include <optional>
#include <string>

#include "core/schedule/library_execution.hpp"
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
  /// Its steps are the calls of a library, for forecasts alone; the host's waits follow from this.
  std::optional<LibraryExecution> library{};
  bool vendor = false;  ///< calls of NVIDIA's libraries: runs on one GPU, on cuSPARSE's CSR
  bool paper = false;   ///< Algorithm 1 as printed: has its stopping rule, and its model

  const std::string& name() const { return schedule.name; }
};

/// Whether its iterations are calls of libraries, which there are on one GPU and on CSR alone.
inline bool calls_libraries(const Solver& solver) {
  return solver.vendor || solver.library;
}

}  // namespace sparsecast
