#include "core/engine/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/name_list.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/solve_parts.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {
namespace {

/// Iterations without a new minimum of beta = r.D^-1.r after which a solve has stagnated. Beta may
/// rise for as many iterations as there are distinct eigenvalues, at most the unknowns.
double patience(std::int64_t unknowns) {
  return static_cast<double>(std::max<std::int64_t>(500, unknowns));
}

/// Where a stopping rule ends a schedule.
struct Targets {
  double r_r = -1;  ///< converged at r.r <= r_r
  /// r.r need not be looked at while beta = r.D^-1.r is larger; for the absolute rule its own TOL.
  double beta = 0;
};

/// `first_beta`: of the start value.
Targets targets(const StopRule& rule, double b_norm, double smallest_diagonal, double first_beta) {
  switch (rule.kind) {
    case StopRule::Kind::relative: {
      // With D the diagonal, r.r = sum D_i (r_i^2 / D_i) >= min(D) r.D^-1.r = min(D) beta, so that
      // an iteration which passes has beta <= limit / min(D). The factor covers the rounding of
      // beta, in f32 too.
      const double limit = rule.tolerance * b_norm * rule.tolerance * b_norm;
      return {limit, 1.001 * limit / smallest_diagonal + std::numeric_limits<double>::min()};
    }
    case StopRule::Kind::preconditioned:
      // Any r.r will do where beta is small.
      return {std::numeric_limits<double>::max(), rule.tolerance * rule.tolerance * first_beta};
    case StopRule::Kind::absolute:
      // The schedule tests r.r <= threshold, Algorithm 1 r.r < TOL.
      return {std::nextafter(rule.tolerance, -1.0), rule.tolerance};
    case StopRule::Kind::fixed_iterations:
      break;
  }
  return {};
}

/// Sets the constants of Algorithm 1, and of the fused schedule, for a stopping rule.
template <class T>
void apply_to_algorithm1(PreparedSchedule<T>& prepared, const StopRule& rule,
                         const Targets& targets) {
  // The least: an iteration that has got to zero exactly, where the next would divide 0 by 0.
  const bool absolute = rule.kind == StopRule::Kind::absolute;
  prepared.set_scalar("v_norm_threshold",
                      absolute ? rule.tolerance : std::numeric_limits<double>::min());
  if (rule.kind == StopRule::Kind::fixed_iterations) return;
  prepared.set_scalar("r_r_threshold", targets.r_r);
  prepared.set_scalar("beta_threshold", targets.beta);
}
template <class T>
void apply_to_fused(PreparedSchedule<T>& prepared, const StopRule& rule, const Targets& targets) {
  if (rule.kind == StopRule::Kind::fixed_iterations) return;
  if (rule.kind == StopRule::Kind::preconditioned) {
    prepared.set_scalar("beta_floor", targets.beta);
    return;
  }
  prepared.set_scalar("r_r_threshold", targets.r_r);
}

/// p.Ap = 0 because p has become too small for the square of its values to be a number: the
/// recursion is at its end, which says nothing of the matrix. p starts each iteration from D^-1 r,
/// whose square is at least alpha = r.D^-1.r over the largest diagonal entry.
template <class T>
bool underflowed(const PreparedSchedule<T>& prepared, std::int64_t unknowns,
                 double largest_diagonal) {
  const double tiny =
      static_cast<double>(std::numeric_limits<T>::min()) * static_cast<double>(unknowns);
  return prepared.scalar("p_Ap") == 0 && prepared.scalar("alpha") <= tiny * largest_diagonal;
}

template <class T>
double progress_fraction(const PreparedSchedule<T>& prepared, const StopRule& rule,
                         std::int64_t iterations, std::int64_t limit, double first_beta,
                         double last_beta) {
  const double of_limit = static_cast<double>(iterations) / static_cast<double>(limit);
  if (rule.kind == StopRule::Kind::fixed_iterations) return of_limit;
  const double way = std::log(first_beta / last_beta);
  const double fallen = std::log(first_beta / prepared.scalar("beta_minimum"));
  // A residual that does not fall ends at the limit.
  const bool known = way > 0 && std::isfinite(fallen / way);
  return std::max(of_limit, known ? std::clamp(fallen / way, 0.0, 1.0) : 0);
}

template <class T>
SolveResult solve_system(Backend& backend, const CsrView<T>& matrix, std::span<const T> b,
                         std::span<T> x, const SolveOptions& options) {
  require_shapes(matrix, b.size(), x.size());
  const StopRule& rule = options.stop;
  require_numbers(rule);
  const bool absolute = rule.kind == StopRule::Kind::absolute;
  const Solver& solver = solver_of(options);
  if (absolute && !solver.paper) {
    throw Error("the absolute stopping rule is Algorithm 1's own; use schedule " +
                algorithm1().name() + ", or the relative rule");
  }
  require_record(options, solver);
  SolveResult result;
  if (ends_at_once(matrix, b, x, options, result)) return result;
  const std::span<const T> start = x;
  const std::vector<double> d = timed_diagonal(matrix, result);
  const RankPart* part = options.part;
  const Extremes of_diagonal = extremes(d, part);
  if (!(of_diagonal.least > 0)) {
    result.outcome = Outcome::nonpositive_diagonal;
    result.residual_norm = residual_norm(matrix, b, start, part);
    return result;
  }

  const auto prepared = backend.prepare(solver.schedule, matrix, options.layout);
  note_preparation(*prepared, part, result);
  const SolverSlots& slots = solver.slots;
  set_diagonals(*prepared, slots, d, result);
  set_system(*prepared, slots, b, start, result, part);
  const std::int64_t unknowns = unknowns_of(matrix, part);
  prepared->set_scalar("patience", patience(unknowns));
  const bool preconditioned = rule.kind == StopRule::Kind::preconditioned;
  if (preconditioned) {
    result.first_preconditioned_norm = preconditioned_residual_norm<T>(matrix, b, start, d, part);
  }
  const double first_norm = result.first_preconditioned_norm.value_or(0);
  const Targets target =
      targets(rule, result.right_hand_side_norm, of_diagonal.least, first_norm * first_norm);
  const auto apply_rule = [&] {
    solver.paper ? apply_to_algorithm1(*prepared, rule, target)
                 : apply_to_fused(*prepared, rule, target);
  };
  // Algorithm 1 makes the absolute rule's tests in the loop only; what is relative to the start
  // does not hold there.
  const bool in_loop_only = absolute || preconditioned;
  if (!in_loop_only) apply_rule();
  RunReport report = run_setup(*prepared, result);
  if (options.record) options.record(0, *recurrence_norm(*prepared, slots));
  if (report.outcome == Outcome::iteration_limit) {
    if (in_loop_only) apply_rule();
    const std::int64_t limit = iteration_limit(rule, unknowns);
    const double first_beta = prepared->scalar("alpha");  // where the setup steps leave it
    const auto fraction = [&](std::int64_t iterations) {
      return progress_fraction(*prepared, rule, iterations, limit, first_beta, target.beta);
    };
    report = run_iterations<T>(*prepared, slots, limit, options, fraction, result);
  }
  result.outcome = report.outcome;

  take_solution<T>(*prepared, slots, matrix, b, x, part, result);
  if (preconditioned) {
    result.preconditioned_norm = preconditioned_residual_norm<T>(matrix, b, x, d, part);
  }

  if (result.outcome == Outcome::not_positive_definite &&
      underflowed(*prepared, unknowns, of_diagonal.most)) {
    result.outcome = Outcome::converged;
  }
  check_convergence(rule, result);
  return result;
}

}  // namespace

const Solver& solver_of(const SolveOptions& options) {
  if (options.schedule.empty()) {
    return options.stop.kind == StopRule::Kind::absolute ? algorithm1() : fused_cg();
  }
  if (is_ours(options.schedule)) return built_in(options.schedule);
  throw Error("no solve by schedule '" + options.schedule + "'; expected " + one_of(our_names()));
}

SolveResult solve(Backend& backend, const CsrView<float>& matrix, std::span<const float> b,
                  std::span<float> x, const SolveOptions& options) {
  return solve_system(backend, matrix, b, x, options);
}

SolveResult solve(Backend& backend, const CsrView<double>& matrix, std::span<const double> b,
                  std::span<double> x, const SolveOptions& options) {
  return solve_system(backend, matrix, b, x, options);
}

}  // namespace sparsecast
