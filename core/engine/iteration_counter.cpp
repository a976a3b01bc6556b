#include "core/engine/iteration_counter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/random_stream.hpp"
#include "core/engine/solve.hpp"
#include "core/engine/solve_method.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/method/method_names.hpp"

namespace sparsecast {
namespace {

using Clock = std::chrono::steady_clock;

/// Each entry moved by up to 64 units of rounding of the largest, another way for each number.
std::vector<double> perturbed(const std::vector<double>& b, Precision precision, int number) {
  const double rounding = precision == Precision::f32
                              ? static_cast<double>(std::numeric_limits<float>::epsilon())
                              : std::numeric_limits<double>::epsilon();
  RandomStream random(1, static_cast<std::uint64_t>(number));
  double largest = 0;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  std::vector<double> moved = b;
  for (double& value : moved) value += 64 * rounding * largest * (2 * random.uniform() - 1);
  return moved;
}

}  // namespace

double amount_of(const SolveResult& result, const std::optional<double>& steps) {
  const auto iterations = static_cast<double>(result.iterations);
  if (!steps || !result.cycle_steps) return iterations;
  return iterations - 1 + std::min(1.0, static_cast<double>(*result.cycle_steps) / *steps);
}

IterationCounter::IterationCounter(Backend& backend, const CsrView<double>& matrix,
                                   std::vector<double> b, std::string right_hand_side)
    : backend_(backend),
      matrix_(matrix),
      b_(std::move(b)),
      right_hand_side_(std::move(right_hand_side)) {}

template <class T>
SolveResult IterationCounter::solve_for(const CsrView<T>& matrix, const CountedRun& run,
                                        const std::vector<double>& b, const SolveOptions& options) {
  const std::vector<T> right(b.begin(), b.end());
  std::vector<T> x(b.size(), 0);
  const std::span<const T> known = right;
  if (run.method == nullptr) return solve(backend_, matrix, known, std::span<T>(x), options);
  return solve_by_method<T>(backend_, *run.method, run.settings, matrix, known, x, options);
}

SolveResult IterationCounter::solve_for(const CountedRun& run, const std::vector<double>& b,
                                        const SolveOptions& options) {
  if (run.precision == Precision::f64) return solve_for<double>(matrix_, run, b, options);
  if (!single_) single_ = convert_values<float>(matrix_);
  return solve_for<float>(single_->view(), run, b, options);
}

CountedSolve IterationCounter::count(const CountedRun& run) {
  constexpr int right_hand_sides = 4;
  CountedSolve counted;
  IterationCount& count = counted.count;
  count.solver = run.method != nullptr ? run.method->name : fused_cg().name();
  count.settings = run.settings;
  count.precision = run.precision;
  count.tolerance = run.tolerance;
  count.right_hand_side = right_hand_side_;
  std::optional<double> steps;
  if (run.method != nullptr) steps = cycle_steps(*run.method, run.settings);

  bool stopped = false;
  const Clock::time_point begin = Clock::now();
  const auto since_begin = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  SolveOptions options;
  options.stop.tolerance = run.tolerance;
  options.stop.max_iterations = run.max_iterations;
  options.keep_going = [&](const SolveProgress& so_far) {
    if (run.keep_going && !run.keep_going(so_far)) stopped = true;
    return !stopped && since_begin() < run.most_seconds;
  };
  const SolveResult first = solve_for(run, b_, options);
  count.runs = 1;
  count.outcome = first.outcome;
  count.iterations = first.iterations;
  count.cycle_steps = first.cycle_steps;
  count.amount = amount_of(first, steps);
  count.out_of_time =
      first.outcome == Outcome::iteration_limit && since_begin() >= run.most_seconds;
  count.relative_residual =
      first.right_hand_side_norm > 0 ? first.residual_norm / first.right_hand_side_norm : 0;
  counted.seconds = first.iteration_seconds;
  if (count.outcome != Outcome::converged) return counted;

  count.converged = 1;
  count.fewest = count.most = count.amount;
  const double one = since_begin();
  for (int i = 1; i < right_hand_sides; ++i) {
    // One that is cut off would say nothing.
    if (stopped || since_begin() + one > run.most_seconds) break;
    const SolveResult more = solve_for(run, perturbed(b_, run.precision, i), options);
    const bool cut_off =
        more.outcome == Outcome::iteration_limit && since_begin() >= run.most_seconds;
    if (stopped || cut_off) break;
    ++count.runs;
    if (more.outcome != Outcome::converged) continue;
    ++count.converged;
    const double amount = amount_of(more, steps);
    count.fewest = std::min(count.fewest, amount);
    count.most = std::max(count.most, amount);
  }
  return counted;
}

}  // namespace sparsecast
