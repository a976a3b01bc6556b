#include "predict/validation/solution/solution_run.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/iteration_counter.hpp"
#include "core/engine/solve.hpp"
#include "core/engine/solve_method.hpp"
#include "core/formats/registry.hpp"
#include "predict/validation/case_row.hpp"

namespace sparsecast {

namespace {

/// A case that is to be measured.
struct Case {
  ValidationRow row;
  LaunchMode launch = LaunchMode::automatic;
};

/// What is solved, and how.
template <class T>
struct Solve {
  Backend& backend;
  CsrView<T> matrix;
  std::vector<T> b;
  const OwnSolver* own;  ///< nullptr: one of ours
  std::string name;
  Layout layout;
};

/// A solve, and the seconds of its whole call.
struct TimedSolve {
  SolveResult result;
  double seconds = 0;
};

template <class T>
TimedSolve run(const Solve<T>& solve_, const StopRule& rule) {
  SolveOptions options;
  options.layout = solve_.layout;
  options.stop = rule;
  std::vector<T> x(solve_.b.size(), 0);
  const std::span<const T> b = solve_.b;
  const double begin = steady_seconds();
  TimedSolve timed;
  if (solve_.own != nullptr) {
    timed.result = solve_by_method<T>(solve_.backend, solve_.own->method(), solve_.own->settings(),
                                      solve_.matrix, b, x, options);
  } else {
    options.schedule = solve_.name;
    timed.result = solve(solve_.backend, solve_.matrix, b, std::span<T>(x), options);
  }
  timed.seconds = steady_seconds() - begin;
  return timed;
}

/// Where a solve ends whose iterations were counted.
StopRule rule_of(const IterationCount& count, const CountRules& rules) {
  StopRule rule;
  rule.tolerance = rules.tolerance;
  rule.max_iterations = std::max<std::int64_t>(1, count.iterations);
  if (count.solves()) rule.max_iterations = std::max<std::int64_t>(1000, 10 * count.iterations);
  return rule;
}

/// Rounds of the same solve, after one that warms up.
template <class T>
std::vector<TimedSolve> rounds_of(const Solve<T>& solve, const IterationCount& count,
                                  const CountRules& rules, double most_seconds) {
  constexpr std::int64_t warm_up_iterations = 16;
  constexpr std::size_t most_rounds = 5;
  StopRule rule = rule_of(count, rules);
  const std::int64_t limit = std::exchange(
      rule.max_iterations, std::min<std::int64_t>(warm_up_iterations, rule.max_iterations));
  run(solve, rule);
  rule.max_iterations = limit;
  std::vector<TimedSolve> rounds;
  const double begin = steady_seconds();
  do {
    rounds.push_back(run(solve, rule));
  } while (count.solves() && rounds.size() < most_rounds &&
           steady_seconds() - begin < most_seconds);
  return rounds;
}

/// Writes down the round with the median time.
void take(std::vector<TimedSolve> rounds, const std::optional<double>& steps, ValidationRow& row) {
  std::ranges::sort(rounds, {},
                    [](const TimedSolve& one) { return one.result.solution_seconds(); });
  const TimedSolve& middle = rounds[rounds.size() / 2];
  const SolveResult& result = middle.result;
  SolutionCase& solution = *row.solution;
  solution.outcome = result.outcome;
  solution.iterations = result.iterations;
  solution.cycle_steps = result.cycle_steps;
  solution.amount = amount_of(result, steps);
  solution.measured = {result.conversion_seconds, result.upload_seconds,
                       result.preconditioner_seconds + result.start_seconds,
                       result.iteration_seconds + result.finish_seconds};
  solution.call_seconds = middle.seconds;
  if (!(solution.amount > 0 && solution.measured.iterations > 0)) {
    throw Error("ended before its first iteration: " + std::string(to_string(result.outcome)));
  }
  row.segments = result.segments;
  row.measured_seconds = solution.measured.iterations / solution.amount;
  row.rounds = std::ssize(rounds);
  std::vector<double> totals;
  for (const TimedSolve& each : rounds) totals.push_back(each.result.solution_seconds());
  row.measured_spread = (quantile(totals, 0.75) - quantile(totals, 0.25)) / quantile(totals, 0.5);
}

template <class T>
void measure(Backend& backend, const CsrView<T>& matrix, const std::vector<double>& b,
             const ValidationRequest& request, const SolutionRules& rules, ValidationRow& row) {
  const auto own = request.own.find(row.schedule);
  const OwnSolver* solver = own != request.own.end() ? &own->second : nullptr;
  const Solve<T> solve{backend, matrix, {b.begin(), b.end()}, solver, row.schedule, row.layout};
  std::optional<double> steps;
  if (solver != nullptr) steps = cycle_steps(solver->method(), solver->settings());
  take(rounds_of(solve, row.solution->count, rules.count, request.seconds_per_case), steps, row);
}

/// What is counted of a solver before it has been.
SolutionCase uncounted(const std::string& name, const ValidationRequest& request,
                       Precision precision, const CountRules& rules) {
  SolutionCase solution;
  solution.count.solver = name;
  const auto own = request.own.find(name);
  if (own != request.own.end()) solution.count.settings = own->second.settings();
  solution.count.precision = precision;
  solution.count.tolerance = rules.tolerance;
  solution.count.right_hand_side = rules.right_hand_side;
  return solution;
}

/// All cases of a matrix, in the order in which they are measured.
std::vector<Case> cases_of(const ValidationInput& input, const ValidationRequest& request,
                           const SolutionRules& rules) {
  std::vector<Layout> layouts = request.layouts;
  if (layouts.empty()) layouts.emplace_back();
  std::vector<Case> cases;
  for (const Precision precision : request.precisions) {
    for (const ValidatedSolver& solver : request.solvers) {
      for (const Layout& layout : layouts) {
        const bool persistent = solver.launch == LaunchMode::persistent;
        if (persistent && !format_of(layout).has_persistent_kernel) continue;
        for (const int devices : request.devices) {
          if (devices > 1 && request.gpu && solver.launch != LaunchMode::graph) continue;
          if (input.devices > 0 && devices != input.devices) continue;
          Case one;
          one.row = case_row(input, request, solver, precision, layout, devices);
          one.launch = solver.launch;
          one.row.solution = uncounted(solver.schedule, request, precision, rules.count);
          cases.push_back(std::move(one));
        }
      }
    }
  }
  return cases;
}

/// The solvers of these cases.
SolversToCount solvers_of(const std::vector<Case>& cases, const ValidationRequest& request) {
  SolversToCount solvers;
  for (const Case& one : cases) {
    const std::string& name = one.row.schedule;
    const auto own = request.own.find(name);
    if (own == request.own.end()) {
      if (std::ranges::count(solvers.ours, name) == 0) solvers.ours.push_back(name);
      continue;
    }
    const auto is_it = [&](const OwnSchedule& each) { return each.method.name == name; };
    if (std::ranges::any_of(solvers.own, is_it)) continue;
    OwnSchedule added;
    added.method = own->second.method();
    added.settings = own->second.settings();
    solvers.own.push_back(std::move(added));
  }
  return solvers;
}

std::vector<Precision> precisions_of(const std::vector<Case>& cases) {
  std::vector<Precision> precisions;
  for (const Case& one : cases) {
    const Precision precision = one.row.precision;
    if (std::ranges::count(precisions, precision) == 0) precisions.push_back(precision);
  }
  return precisions;
}

/// Gives each case its count, and takes those away that have none. False when it was ended.
bool count(const ValidationInput& input, const std::vector<double>& b,
           const ValidationRequest& request, const SolutionRules& rules, Backend& counting,
           const ValidationMonitor& monitor, std::vector<Case>& cases) {
  SolversToCount solvers = solvers_of(cases, request);
  std::vector<IterationCount> counts;
  try {
    if (!input.features.symmetric) {
      const std::string left_out = leave_out_symmetric(input.matrix, solvers, {});
      if (!left_out.empty()) monitor.skipped(left_out);
    }
    CountMonitor watched;
    watched.proceed = [&](const CountProgress& so_far) {
      return monitor.proceed(input.matrix + ", counting iterations of " + so_far.solver,
                             so_far.done / 2);
    };
    watched.left_out = [&](const std::string& why) { monitor.skipped(input.matrix + ": " + why); };
    auto counted = count_iterations(counting, input.f64.view(), b, solvers, precisions_of(cases),
                                    rules.count, watched);
    if (!counted) return false;
    counts = std::move(*counted);
  } catch (const Error& error) {
    const std::string why = error.what();
    monitor.skipped(why.starts_with(input.matrix) ? why : input.matrix + ": " + why);
  }
  std::erase_if(cases, [&](Case& one) {
    const auto found = std::ranges::find_if(counts, [&](const IterationCount& each) {
      return each.solver == one.row.schedule && each.precision == one.row.precision;
    });
    if (found != counts.end()) one.row.solution->count = *found;
    return found == counts.end();
  });
  return true;
}

}  // namespace

bool validate_solutions(const ValidationInput& input, const ValidationRequest& request,
                        const SolutionRules& rules, Backend& counting,
                        const ValidationMonitor& monitor) {
  std::vector<Case> cases = cases_of(input, request, rules);
  if (monitor.wanted) {
    std::erase_if(cases, [&](const Case& one) { return !monitor.wanted(one.row); });
  }
  if (cases.empty()) return true;
  const std::vector<double> b = rules.right_hand_side(input.f64.rows);
  if (!count(input, b, request, rules, counting, monitor, cases)) return false;
  std::size_t done = 0;
  for (auto& [row, launch] : cases) {
    const std::string what = describe_case(row);
    const double share = static_cast<double>(done++) / static_cast<double>(cases.size());
    if (!monitor.proceed(what, (1 + share) / 2)) return false;
    try {
      Backend& backend = monitor.backend(row.devices, launch);
      if (row.precision == Precision::f32) {
        measure<float>(backend, input.f32(), b, request, rules, row);
      } else {
        measure<double>(backend, input.f64.view(), b, request, rules, row);
      }
    } catch (const Error& error) {
      monitor.skipped(what + ": " + error.what());
      continue;
    }
    note_state(monitor, row);
    if (request.gpu && row.devices > 1) {
      row.work = case_segments(input, row.precision, row.devices, row.layout, request);
    } else if (request.gpu) {
      row.execution = case_execution(input, row, request);
    }
    monitor.done(std::move(row));
  }
  return true;
}

}  // namespace sparsecast
