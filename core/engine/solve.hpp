#pragma once

#include <span>

#include "core/engine/backend.hpp"
#include "core/engine/solve_options.hpp"
#include "core/engine/solve_result.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast {

/// What `solve` runs with these options. Throws `Error` for a schedule that is not ours.
const Solver& solver_of(const SolveOptions& options);

/// Solves A x = b by conjugate gradients on the back end's devices; x holds the start value on
/// entry and the best known iterate on return, whatever the outcome. A square, columns sorted.
/// Throws `Error` for shapes that do not fit, for negative tolerances, for the absolute rule with a
/// schedule other than algorithm1, and for a record of one that keeps no norm of the residual; a
/// matrix that CG cannot solve (not positive definite, zero or negative diagonal, NaN) is an
/// `Outcome`, not an exception.
///
/// `stagnated`: beta = r.D^-1.r found no new minimum in as many iterations as there are unknowns
/// (at least 500), or, with the relative rule, the recursion for r passed the test but
/// ||b - A x|| is more than twice what was asked, because rounding parted the two; with the
/// preconditioned rule the same in the norm of D^-1.
/// b = 0 gives x = 0 in no iteration.
SolveResult solve(Backend& backend, const CsrView<float>& matrix, std::span<const float> b,
                  std::span<float> x, const SolveOptions& options);
SolveResult solve(Backend& backend, const CsrView<double>& matrix, std::span<const double> b,
                  std::span<double> x, const SolveOptions& options);

}  // namespace sparsecast
