#pragma once

#include "core/schedule/schedule.hpp"
#include "core/schedule/solver_slots.hpp"

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

/// The same method with its dot products in the kernels that produce their operands, three kernels
/// an iteration and the preconditioned residual z = D^-1 r in place of r, w and the products t1 to
/// t3: 11 values an unknown instead of 23 move beside the matrix. The iterates are those of
/// `algorithm1_schedule()` up to rounding.
///
/// Vectors: `x` (solution, start value on entry), `b`, `c` = D^(-1/2), `z`, `u` by segment, `v`
/// full. Scalars as there, without `v_v`, `v_norm`, `v_norm_threshold` and `beta_threshold`: r.r is
/// there in every iteration, and the run has `converged` when r.r <= `r_r_threshold` or beta <=
/// `beta_floor` (0: the recursion is at its end), after the setup too.
Schedule fused_cg_schedule();

/// The same method made of calls of NVIDIA's libraries, as many users write it: the product by
/// `cusparseSpMV`, the vectors by cuBLAS (dot, axpy, scal, copy), the preconditioner by a one-line
/// kernel of the user's own (cuBLAS has only dgmm for it, which on one column is three times
/// slower). Its kernels ("cusparseSpMV", "cublasDot", ...) are the CUDA back end's alone, see
/// `core/cuda/vendor/vendor_cg.cuh`. 21 values an unknown move beside the matrix, in 12 launches.
///
/// Vectors: `x`, `b`, `c` = D^(-1/2) as above, `d` = D^-1 (computed in the setup), `r`, `z`, `u` by
/// segment, `v` full. Scalars as in `fused_cg_schedule()`, with `minus_t`, `one` and `minus_one`.
Schedule vendor_cg_schedule();

/// What the slots of all of them mean.
SolverSlots cg_slots();

}  // namespace sparsecast
