#include "predict/counted_solver.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/own_solver.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/method/method_names.hpp"
#include "predict/counting/count_outcomes.hpp"

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
  return setup;
}

/// Restarted after as many steps as the last cycle came to; nothing where that was a whole one.
std::optional<Solver> last_cycle_of(const IterationCount& count, const Method& method) {
  const std::optional<double> whole = cycle_steps(method, count.settings);
  if (!whole || count.cycle_steps.value_or(0) < 1) return std::nullopt;
  if (count.amount == static_cast<double>(count.iterations)) return std::nullopt;
  if (static_cast<double>(*count.cycle_steps) > *whole) {
    throw Error("iterations of " + count.solver + ": a last cycle of " +
                std::to_string(*count.cycle_steps) + " steps of " + short_number(*whole) +
                "; count again");
  }
  NamedNumbers settings = count.settings;
  settings[method.roles.at("restart")] = static_cast<double>(*count.cycle_steps);
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

std::string why_none_solves(std::span<const CountedSolver> counted) {
  std::vector<IterationCount> counts;
  for (const CountedSolver& each : counted) counts.push_back(each.count);
  return why_none_solves(counts, {});
}

}  // namespace sparsecast
