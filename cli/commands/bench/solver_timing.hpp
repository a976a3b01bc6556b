#pragma once

#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast::cli {

/// A measured iteration of a solver, and what it did. What it moved is counted of what ran, not of
/// what the schedule says of the layout: one device exchanges nothing, and a kernel may have stored
/// the matrix in its own way.
struct SolverTiming {
  Timing timing;               ///< of one iteration
  double stored_elements = 0;  ///< matrix values that it multiplies
  double bytes = 0;            ///< that it reads and writes, each array once a kernel
  double working_set = 0;      ///< bytes of matrix and vectors
  double launches = 0;         ///< kernels that the host or a graph launches; 0 on a CPU
  double host_waits = 0;       ///< for the device; 0 on a CPU
};

/// Measures for about `max_seconds`. With a `part`: of a matrix that ranks share, all of which call
/// it; what was counted is that of all ranks. Throws as `Backend::prepare` and `measure_iteration`
/// do.
template <class T>
SolverTiming time_solver(Backend& backend, const Solver& solver, const CsrMatrix<T>& matrix,
                         const Layout& layout, double max_seconds, const RankPart* part = nullptr);

}  // namespace sparsecast::cli
