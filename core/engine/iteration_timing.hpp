#pragma once

#include <cstdint>
#include <functional>

#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/solver_slots.hpp"

namespace sparsecast {

/// Seconds of one iteration of a solver in the steady state of a long solve, with the noise of the
/// rounds: for every schedule, launch mode and number of devices. The prepared matrix is square,
/// with a positive diagonal where the solver asks for it; `matrix` is what it was prepared from.
/// Overwrites the solution, the right-hand side and what the solver has of the diagonal or of
/// diagonal blocks.
///
/// The solver really runs, from x = 0, and is restarted (outside the measured time) before its
/// residual reaches rounding. Times do not depend on values, so a preconditioner is made a poor
/// one: off the matrix's diagonal, or blocks, by random powers of two, or small systems would have
/// converged before anything could be measured.
///
/// A run costs the host a start and a wait at its end, some 20 to 40 us on a GPU, and a persistent
/// kernel the loading of its matrix: no part of an iteration. So a round is a run of n and a run of
/// 2 n iterations, and what they have in common, the median of `2 t(n) - t(2 n)` over all rounds,
/// is taken off both. n is a multiple of 16 (the host looks at a GPU's progress so often), or of 8
/// (iterations of a graph) where 16 take too long; less where even that takes too long or so many
/// cannot be run. `Timing::repeats` is n; where n and 2 n do not fit, runs of n count as they are.
///
/// `options` say how long to measure, all runs and restarts counted. Throws `Error` when the solver
/// ends in the first iteration, or within every round.
template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         const CsrView<T>& matrix, const StopwatchOptions& options);

/// The same with another clock, which returns seconds since some moment.
template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         const CsrView<T>& matrix, const StopwatchOptions& options,
                         const std::function<double()>& clock_seconds);

/// The same of a matrix that ranks share, all of which call it: in the numbers of a part, by a
/// clock that is the same on all ranks, so that they decide alike how long to measure. Nullptr:
/// there is one process.
template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         const CsrView<T>& matrix, const StopwatchOptions& options,
                         const RankPart* part);

/// Whether the system that `measure_iteration` runs goes on for so many iterations (or until its
/// residual reaches rounding) without a breakdown (as p.Ap <= 0) or a number that is not finite.
template <class T>
bool can_iterate(PreparedSchedule<T>& prepared, const SolverSlots& slots, const CsrView<T>& matrix,
                 std::int64_t iterations);

}  // namespace sparsecast
