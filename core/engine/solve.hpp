#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/engine/run_in_parts.hpp"

namespace sparsecast {

/// When to stop. One of three rules.
struct StopRule {
  enum class Kind {
    relative,  ///< ||r|| <= tolerance * ||b|| (what users expect)
    absolute,  ///< Algorithm 1 as printed: beta < TOL and r.r < TOL, or sqrt(v.v) < TOL
    /// max_iterations without a test for convergence, for measurements: CG2 never runs. Ends
    /// early (as `converged`) only when the search direction has become zero.
    fixed_iterations,
  };
  Kind kind = Kind::relative;
  double tolerance = 1e-8;
  std::int64_t max_iterations = 0;  ///< 0: ten times the unknowns, at least 1000
};

struct SolveOptions {
  Layout layout;
  StopRule stop;
  /// "fused" or "algorithm1" (`cg_schedule`). Empty: fused, and algorithm1 for the absolute rule,
  /// which is that schedule's own.
  std::string schedule;
  /// Called some ten times a second while iterating; false ends the solve (`iteration_limit`).
  std::function<bool(const SolveProgress&)> keep_going;
};

/// How a solve ended, and what it cost.
struct SolveResult {
  Outcome outcome = Outcome::iteration_limit;
  StopRule::Kind rule = StopRule::Kind::relative;  ///< as asked
  std::int64_t iterations = 0;
  double residual_norm = 0;         ///< ||b - A x||, computed from x at the end
  double right_hand_side_norm = 0;  ///< ||b||
  double conversion_seconds = 0;
  double upload_seconds = 0;
  double iteration_seconds = 0;  ///< all iterations together, without setup
  std::vector<std::int64_t> bytes_per_device;

  /// One line: outcome, iterations, residual, time; says what to do when it did not converge.
  std::string brief() const;
};

/// Solves A x = b by conjugate gradients on the back end's devices; x holds the start value on
/// entry and the best known iterate on return, whatever the outcome. A square, columns sorted.
/// Throws `Error` for shapes that do not fit, for negative tolerances, and for the absolute rule
/// with a schedule other than algorithm1; a matrix that CG cannot solve (not positive definite,
/// zero or negative diagonal, NaN) is an `Outcome`, not an exception.
///
/// `stagnated`: beta = r.D^-1.r found no new minimum in as many iterations as there are unknowns
/// (at least 500), or, with the relative rule, the recursion for r passed the test but
/// ||b - A x|| is more than twice what was asked, because rounding parted the two.
/// b = 0 gives x = 0 in no iteration.
SolveResult solve(Backend& backend, const CsrView<float>& matrix, std::span<const float> b,
                  std::span<float> x, const SolveOptions& options);
SolveResult solve(Backend& backend, const CsrView<double>& matrix, std::span<const double> b,
                  std::span<double> x, const SolveOptions& options);

}  // namespace sparsecast
