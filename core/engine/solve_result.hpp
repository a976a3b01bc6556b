#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// When to stop. One of four rules.
struct StopRule {
  enum class Kind {
    relative,  ///< ||r|| <= tolerance * ||b|| (what users expect)
    /// r.D^-1 r <= tolerance^2 times what it was at first, D being the matrix's diagonal (Buatois,
    /// Caumon and Levy 2009, section 1.2).
    preconditioned,
    absolute,  ///< Algorithm 1 as printed: beta < TOL and r.r < TOL, or sqrt(v.v) < TOL
    /// max_iterations without a test for convergence, for measurements: CG2 never runs. Ends
    /// early (as `converged`) only when the search direction has become zero.
    fixed_iterations,
  };
  Kind kind = Kind::relative;
  double tolerance = 1e-8;
  std::int64_t max_iterations = 0;  ///< 0: ten times the unknowns, at least 1000
};

/// How advice names what users choose: by default the program's options.
struct SolveWords {
  std::string solver = "--solver";
  std::string without_preconditioner = "a --solver with --precondition none";
};

/// How a solve ended, and what it cost.
struct SolveResult {
  Outcome outcome = Outcome::iteration_limit;
  bool interrupted = false;  ///< `SolveOptions::keep_going` ended it before its limit
  StopRule::Kind rule = StopRule::Kind::relative;  ///< as asked
  double tolerance = 0;                            ///< of that rule
  std::int64_t iterations = 0;
  /// Steps that the last iteration came to, of a solver whose iterations are cycles of steps.
  std::optional<std::int64_t> cycle_steps;
  double residual_norm = 0;  ///< ||b - A x||, computed from x at the end
  /// The same by the solver's own recurrence, in its precision; none where it keeps none, and where
  /// nothing ran.
  std::optional<double> recurrence_norm;
  double right_hand_side_norm = 0;  ///< ||b||
  /// sqrt(r.D^-1 r) of r = b - A x at the end and at first; of the preconditioned rule, where
  /// something ran.
  std::optional<double> preconditioned_norm;
  std::optional<double> first_preconditioned_norm;
  double conversion_seconds = 0;
  double upload_seconds = 0;  ///< of matrix and vectors
  /// On the host: finding the diagonal, and inverting its blocks.
  double preconditioner_seconds = 0;
  double start_seconds = 0;      ///< the solver's setup steps
  double iteration_seconds = 0;  ///< all iterations together, without setup
  double finish_seconds = 0;     ///< its steps behind the last iteration, which may form x
  std::vector<std::int64_t> bytes_per_device;
  std::vector<SegmentShape> segments{};  ///< what each device stores of the matrix

  /// That of the outcome, or "interrupted".
  std::string_view outcome_name() const;

  /// The mean of all iterations; 0 where none ran.
  double seconds_per_iteration() const;

  /// The time to solution (docs/time_to_solution.md): all of the seconds above.
  double solution_seconds() const;

  /// Whether rounding has parted the two: ||b - A x|| is more than ten times what the recurrence
  /// says, and more than a relative rule asked for.
  bool residuals_part() const;

  /// One line: outcome, iterations, residual, time; says what to do when it did not converge.
  std::string brief(const SolveWords& words = {}) const;
};

}  // namespace sparsecast
