#pragma once

#include "cli/commands/bench/fusion/fusion_measurement.hpp"
#include "cli/commands/bench/fusion/fusion_solvers.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast::cli {

/// What iterations of a solve stop at: ||b - A x|| over ||b||.
inline constexpr double solved_residual = 1e-8;

/// Solves for b = 1 from x = 0 to `solved_residual`, up to three times where that takes a moment:
/// seconds of all iterations. Fills in how it ended. Ends after 20000 iterations or ten seconds.
/// Throws as `solve` does.
Timing time_solve(Backend& backend, const FusionSolver& solver, const CsrMatrix<double>& matrix,
                  FusionMeasurement& m);

}  // namespace sparsecast::cli
