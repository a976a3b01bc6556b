#pragma once

#include "core/schedule.hpp"

namespace sparsecast {

/// Algorithm 1 of Verschoor and Jalba (2012): Jacobi-preconditioned conjugate gradients, kernels
/// CG1 to CG5 with separate reductions, elements and flops as in Tables 2 and 3.
///
/// Read correctly: the vector `c` is D^(-1/2) (so that w.w = r.D^-1.r); CG2 and its reduction run
/// only when beta is below its threshold; the loop goes on while *not* converged.
///
/// Vectors: `x` (solution, start value on entry), `b`, `c`, `r`, `w`, `u`, `v_part`, `t1`, `t2`,
/// `t3` by segment, `v` full.
/// Scalars: `alpha`, `beta`, `s`, `t`, `p_Ap`, `r_r`, `v_v`, `v_norm`, and the constants that a
/// stopping rule sets (see `solve.hpp`):
///   `beta_threshold`   CG2 runs in iterations with beta < beta_threshold,
///   `r_r_threshold`    converged when r.r was computed and is <= r_r_threshold,
///   `v_norm_threshold` converged when sqrt(v.v) < v_norm_threshold (the loop's own test),
///   `patience`         stagnated when beta found no new minimum in so many iterations,
///   `zero`.
/// `beta_minimum` and `stalled` (iterations since it was found) serve the last of these.
/// The run ends with `not_positive_definite` when p.Ap <= 0.
Schedule algorithm1_schedule();

}  // namespace sparsecast
