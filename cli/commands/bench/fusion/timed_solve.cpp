#include "cli/commands/bench/fusion/timed_solve.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/solve.hpp"
#include "core/engine/solve_method.hpp"

namespace sparsecast::cli {

Timing time_solve(Backend& backend, const FusionSolver& solver, const CsrMatrix<double>& matrix,
                  FusionMeasurement& m) {
  constexpr std::size_t most_solves = 3;
  constexpr double moment = 0.5;
  constexpr double most_seconds = 10;
  constexpr std::int64_t most_iterations = 20'000;
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const std::vector<double> b(rows, 1.0);
  std::vector<double> x(rows);
  std::vector<double> seconds;
  double started = 0;
  SolveOptions options;
  options.stop.tolerance = solved_residual;
  options.stop.max_iterations = most_iterations;
  options.keep_going = [&](const SolveProgress&) {
    return steady_seconds() - started < most_seconds;
  };
  do {
    std::ranges::fill(x, 0.0);
    started = steady_seconds();
    const SolveResult result =
        solver.method == nullptr
            ? solve(backend, matrix.view(), b, x, options)
            : solve_by_method<double>(backend, *solver.method, {}, matrix.view(), b, x, options,
                                      solver.execution);
    seconds.push_back(result.iteration_seconds);
    m.iterations = result.iterations;
    m.outcome = to_string(result.outcome);
    m.residual = result.residual_norm / std::sqrt(static_cast<double>(matrix.rows));
  } while (seconds.size() < most_solves && seconds.front() < moment);
  return summarize(std::move(seconds), 1, 0);
}

}  // namespace sparsecast::cli
