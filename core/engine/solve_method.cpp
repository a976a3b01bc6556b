#include "core/engine/solve_method.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/matrix_functions.hpp"
#include "core/engine/run_in_parts.hpp"
#include "core/matrix/diagonal.hpp"
#include "core/schedule/method/check_method.hpp"

namespace sparsecast {
namespace {

template <class T>
void set_diagonals(PreparedSchedule<T>& prepared, const MethodSchedule& method,
                   const CsrView<T>& matrix) {
  if (method.diagonals.empty()) return;
  const std::vector<double> d = diagonal(matrix);
  std::vector<T> values(d.size());
  for (const MethodSchedule::Diagonal& each : method.diagonals) {
    const bool inverse = each.kind == OperatorDeclaration::Kind::inverse_diagonal;
    std::ranges::transform(d, values.begin(),
                           [&](double v) { return static_cast<T>(inverse ? 1 / v : v); });
    prepared.set_vector(each.vector, values);
  }
}

bool needs_diagonal(const MethodSchedule& method) {
  return std::ranges::any_of(method.diagonals, [](const MethodSchedule::Diagonal& each) {
    return each.kind == OperatorDeclaration::Kind::inverse_diagonal;
  });
}

/// Ends at once, where there is nothing to run.
template <class T>
bool ends_before(const MethodSchedule& method, const CsrView<T>& matrix, std::span<const T> b,
                 std::span<T> x, SolveResult& result) {
  const std::span<const T> start = x;
  if (!all_finite(matrix.values) || !all_finite(b) || !all_finite(start)) {
    result.outcome = Outcome::not_finite;
    result.residual_norm = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (result.right_hand_side_norm == 0) {
    std::ranges::fill(x, T{0});
    result.outcome = Outcome::converged;
    return true;
  }
  if (needs_diagonal(method) && std::ranges::count(diagonal(matrix), 0.0) > 0) {
    result.outcome = Outcome::nonpositive_diagonal;
    result.residual_norm = residual_norm(matrix, b, start);
    return true;
  }
  return false;
}

}  // namespace

template <class T>
SolveResult solve_by_method(Backend& backend, const Method& method, const NamedNumbers& settings,
                            const CsrView<T>& matrix, std::span<const T> b, std::span<T> x,
                            const SolveOptions& options, Execution execution) {
  require_shapes(matrix, b.size(), x.size());
  const StopRule& rule = options.stop;
  if (rule.kind == StopRule::Kind::absolute) {
    throw Error("the absolute stopping rule is Algorithm 1's own; use the relative rule");
  }
  check_method(method);
  const MethodSchedule made =
      lower(method, parameter_values(method, settings, functions_of(matrix)), execution);
  SolveResult result;
  result.rule = rule.kind;
  result.right_hand_side_norm = norm(b);
  if (ends_before(made, matrix, b, x, result)) return result;

  const auto prepared = backend.prepare(made.schedule, matrix, options.layout);
  result.conversion_seconds = prepared->conversion_seconds();
  result.upload_seconds = prepared->upload_seconds();
  result.bytes_per_device = prepared->bytes_per_device();
  set_diagonals(*prepared, made, matrix);
  prepared->set_vector(made.right_hand_side, b);
  const std::span<const T> start = x;
  prepared->set_vector(made.solution, start);
  prepared->set_scalar("right_hand_side_norm", result.right_hand_side_norm);
  const bool tests = rule.kind == StopRule::Kind::relative;
  prepared->set_scalar("residual_limit", tests ? rule.tolerance * result.right_hand_side_norm : -1);
  RunReport report = prepared->run_setup();
  if (report.outcome == Outcome::iteration_limit) {
    const std::int64_t limit = rule.max_iterations > 0
                                   ? rule.max_iterations
                                   : std::max<std::int64_t>(1000, 10 * matrix.rows);
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    report = run_in_parts(*prepared, limit, options.keep_going, [&](std::int64_t iterations) {
      return static_cast<double>(iterations) / static_cast<double>(limit);
    });
    result.iteration_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    result.iterations = report.iterations;
  }
  prepared->run_finish();
  result.outcome = report.outcome;
  std::vector<T> solution(x.size());
  prepared->get_vector(made.solution, solution);
  if (all_finite(std::span<const T>(solution))) std::ranges::copy(solution, x.begin());
  result.residual_norm = residual_norm(matrix, b, start);
  if (tests && result.outcome == Outcome::converged &&
      !(result.residual_norm <= 2 * rule.tolerance * result.right_hand_side_norm)) {
    result.outcome = Outcome::stagnated;
  }
  return result;
}

template SolveResult solve_by_method(Backend&, const Method&, const NamedNumbers&,
                                     const CsrView<float>&, std::span<const float>,
                                     std::span<float>, const SolveOptions&, Execution);
template SolveResult solve_by_method(Backend&, const Method&, const NamedNumbers&,
                                     const CsrView<double>&, std::span<const double>,
                                     std::span<double>, const SolveOptions&, Execution);

}  // namespace sparsecast
