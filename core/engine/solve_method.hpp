#pragma once

#include <span>

#include "core/engine/backend.hpp"
#include "core/engine/solve.hpp"
#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method.hpp"

namespace sparsecast {

/// Rows that a method takes together: those of the blocks of block Jacobi, else 1.
int rows_together(const Method& method);

/// Solves A x = b by a method that somebody has written down, as `solve` does by conjugate
/// gradients: the same stopping rules (but the absolute one, which is Algorithm 1's own), outcomes
/// and x on return. `settings` are values of the method's parameters (`--set`); the others have
/// their own. `SolveOptions::schedule` does not matter.
///
/// The preconditioned rule is for methods that test that norm themselves, as schedules/cnc.json
/// does: it makes no other test, but the outcome is held against it.
///
/// `stagnated`: the method says that it has converged, but the residual, in the norm of the rule,
/// is more than twice what was asked. Throws `Error` for settings that the method does not have,
/// for a restart after more steps than there are unknowns, and like `solve`, `check_method` and
/// `lower`.
///
/// Ranks (`SolveOptions::part`) have rows that are cut, and own rows that begin, at multiples of
/// `rows_together` (`RankMatrixOptions::row_alignment`).
template <class T>
SolveResult solve_by_method(Backend& backend, const Method& method, const NamedNumbers& settings,
                            const CsrView<T>& matrix, std::span<const T> b, std::span<T> x,
                            const SolveOptions& options, Execution execution = Execution::fused);

}  // namespace sparsecast
