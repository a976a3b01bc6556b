#include "predict/counted_solver.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/own_solver.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {
namespace {

/// What a solver does before its iterations; nothing where it multiplies by no matrix.
std::optional<Solver> setup_of(const Solver& solver) {
  const auto multiplies = [](const Step& step) { return step.traffic.values_per_element > 0; };
  if (std::ranges::none_of(solver.schedule.setup, multiplies)) return std::nullopt;
  Solver setup = solver;
  setup.schedule.name += " (setup)";
  setup.schedule.iteration = std::exchange(setup.schedule.setup, {});
  setup.schedule.finish.clear();
  setup.persistent = false;
  return setup;
}

/// Restarted after as many steps as the last cycle came to; nothing where that was a whole one.
std::optional<Solver> last_cycle_of(const IterationCount& count, const Method& method) {
  const auto role = method.roles.find("restart");
  if (role == method.roles.end() || count.cycle_steps.value_or(0) < 1) return std::nullopt;
  if (count.amount == static_cast<double>(count.iterations)) return std::nullopt;
  NamedNumbers settings = count.settings;
  settings[role->second] = static_cast<double>(*count.cycle_steps);
  Solver last = OwnSolver(method, settings).priced();
  last.schedule.name += " (last cycle)";
  return last;
}

}  // namespace

CountedSolver counted_solver(const IterationCount& count) {
  CountedSolver counted{count};
  counted.setup = setup_of(built_in(count.solver));
  return counted;
}

CountedSolver counted_solver(const IterationCount& count, const Method& method) {
  CountedSolver counted{count};
  counted.own = OwnSolver(method, count.settings).priced();
  counted.setup = setup_of(*counted.own);
  counted.last_cycle = last_cycle_of(count, method);
  return counted;
}

void ask_for_solution(std::span<const CountedSolver> counted, PredictionRequest& request) {
  request.counted.clear();
  request.own.clear();
  request.schedules.clear();
  std::string failed;
  for (const CountedSolver& each : counted) {
    if (each.count.precision != request.precision) continue;
    if (!each.count.solves()) {
      failed += (failed.empty() ? "" : ", ") + each.count.solver;
      continue;
    }
    request.schedules.push_back(each.count.solver);
    if (each.own) request.own.push_back(*each.own);
    request.counted.push_back(each);
  }
  if (!request.counted.empty()) return;
  throw Error("no solver converged in " + std::string(to_string(request.precision)) +
              (failed.empty() ? "" : ": " + failed) +
              "; allow more iterations, a larger tolerance, or another solver");
}

}  // namespace sparsecast
