#include "core/engine/solve_method.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/matrix_functions.hpp"
#include "core/engine/solve_parts.hpp"
#include "core/schedule/method/check_method.hpp"

namespace sparsecast {
namespace {

bool has_operator(const Method& method, OperatorDeclaration::Kind kind) {
  return std::ranges::find(method.operators, kind, &OperatorDeclaration::kind) !=
         method.operators.end();
}

/// Whether some row's number is 0.
bool has_zero(std::span<const double> diagonal, const RankPart* part) {
  if (part == nullptr) return std::ranges::count(diagonal, 0.0) > 0;
  const auto own = diagonal.subspan(part->own.begin_row, part->own.rows());
  return part->ranks->any(std::ranges::count(own, 0.0) > 0);
}

/// A cycle of more steps than there are unknowns has no meaning. The method's own number may be
/// more: it ends a cycle that has found the solution.
void require_restart(const Method& method, const NamedNumbers& settings, std::int64_t unknowns) {
  const auto role = method.roles.find("restart");
  if (role == method.roles.end()) return;
  const auto given = settings.find(role->second);
  if (given == settings.end() || given->second <= static_cast<double>(unknowns)) return;
  throw Error(method.name + ": a restart after " + short_number(given->second) +
              " steps of a system of " + std::to_string(unknowns) +
              " unknowns; expected no more than these");
}

/// Blocks that lie on two ranks would be others than in one process.
void require_whole_blocks(const RankPart& part, const Method& method) {
  const int rows = rows_together(method);
  const bool aligned = std::ranges::all_of(part.rows.begins, [&](std::int64_t begin) {
    return begin % rows == 0 || begin == part.unknowns();
  });
  if (!part.ranks->any(!aligned || part.own.begin_row % rows != 0)) return;
  throw Error(method.name + ": ranks cut blocks of " + std::to_string(rows) +
              " rows; expected rows that are cut at multiples of that");
}

}  // namespace

int rows_together(const Method& method) {
  int rows = 1;
  for (const OperatorDeclaration& each : method.operators) {
    if (each.kind == OperatorDeclaration::Kind::inverse_block_diagonal) {
      rows = std::lcm(rows, each.block_size);
    }
  }
  return rows;
}

template <class T>
SolveResult solve_by_method(Backend& backend, const Method& method, const NamedNumbers& settings,
                            const CsrView<T>& matrix, std::span<const T> b, std::span<T> x,
                            const SolveOptions& options, Execution execution) {
  require_shapes(matrix, b.size(), x.size());
  const StopRule& rule = options.stop;
  require_numbers(rule);
  if (rule.kind == StopRule::Kind::absolute) {
    throw Error("the absolute stopping rule is Algorithm 1's own; use the relative rule");
  }
  check_method(method);
  const RankPart* part = options.part;
  const std::int64_t unknowns = unknowns_of(matrix, part);
  require_restart(method, settings, unknowns);
  SolveResult result;
  const std::span<const T> start = x;
  const bool preconditioned = rule.kind == StopRule::Kind::preconditioned;
  const bool divides = has_operator(method, OperatorDeclaration::Kind::inverse_diagonal);
  const bool has_blocks = has_operator(method, OperatorDeclaration::Kind::inverse_block_diagonal);
  if (part != nullptr) require_whole_blocks(*part, method);
  const bool needs_diagonal = preconditioned || divides || has_blocks ||
                              has_operator(method, OperatorDeclaration::Kind::diagonal);
  const std::vector<double> d =
      needs_diagonal ? timed_diagonal(matrix, result) : std::vector<double>{};
  // A norm needs more than a diagonal that one can divide by, and so does conjugate gradients'
  // preconditioner. Before parameters, which may divide by it too.
  const bool needs_positive =
      preconditioned ||
      ((divides || has_blocks) && method.needs == MatrixKind::symmetric_positive_definite);
  if ((needs_positive && !(extremes(d, part).least > 0)) || (divides && has_zero(d, part))) {
    if (ends_at_once(matrix, b, x, options, result)) return result;
    result.outcome = Outcome::nonpositive_diagonal;
    result.residual_norm = residual_norm(matrix, b, start, part);
    return result;
  }
  const Solver made =
      lower(method, parameter_values(method, settings, functions_of(matrix, part)), execution);
  require_record(options, made);
  if (ends_at_once(matrix, b, x, options, result)) return result;

  if (preconditioned) {
    result.first_preconditioned_norm = preconditioned_residual_norm<T>(matrix, b, start, d, part);
  }
  const auto prepared = backend.prepare(made.schedule, matrix, options.layout);
  note_preparation(*prepared, part, result);
  set_diagonals(*prepared, made.slots, d, result);
  set_inverse_blocks(*prepared, made.slots, matrix, result, part);
  set_system(*prepared, made.slots, b, start, result, part);
  prepared->set_scalar("right_hand_side_norm", result.right_hand_side_norm);
  const bool tests = rule.kind != StopRule::Kind::fixed_iterations;
  prepared->set_scalar("residual_limit", tests ? rule.tolerance * result.right_hand_side_norm : -1);
  RunReport report = run_setup(*prepared, result);
  if (options.record) options.record(0, *recurrence_norm(*prepared, made.slots));
  if (report.outcome == Outcome::iteration_limit) {
    const std::int64_t limit = iteration_limit(rule, unknowns);
    const auto fraction = [limit](std::int64_t iterations) {
      return static_cast<double>(iterations) / static_cast<double>(limit);
    };
    report = run_iterations<T>(*prepared, made.slots, limit, options, fraction, result);
  }
  {
    const AddedSeconds running(result.finish_seconds);
    prepared->run_finish();
  }
  result.outcome = report.outcome;
  take_solution<T>(*prepared, made.slots, matrix, b, x, part, result);
  if (preconditioned) {
    result.preconditioned_norm = preconditioned_residual_norm<T>(matrix, b, x, d, part);
  }
  check_convergence(rule, result);
  return result;
}

template SolveResult solve_by_method(Backend&, const Method&, const NamedNumbers&,
                                     const CsrView<float>&, std::span<const float>,
                                     std::span<float>, const SolveOptions&, Execution);
template SolveResult solve_by_method(Backend&, const Method&, const NamedNumbers&,
                                     const CsrView<double>&, std::span<const double>,
                                     std::span<double>, const SolveOptions&, Execution);

}  // namespace sparsecast
