#include "cli/commands/bench/fusion/late_decisions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace sparsecast::cli {
namespace {

/// Scalars that a step reads or writes.
std::set<ScalarSlot> slots_of(const Step& step) {
  std::set<ScalarSlot> slots(step.scalars.begin(), step.scalars.end());
  slots.insert(step.sums.begin(), step.sums.end());
  if (step.pass) {
    for (const PassStatement& statement : step.pass->statements) {
      for (const PassTerm& term : statement.terms) slots.insert(term.scalar);
    }
  }
  for (const ScalarAssignment& each : step.assignments) {
    slots.insert({each.target, each.a, each.b, each.c});
  }
  for (const StopTest& stop : step.stop_tests) slots.insert({stop.test.a, stop.test.b});
  slots.erase(-1);
  return slots;
}

bool writes(const Step& step, VectorSlot vector) {
  for (std::size_t k = 0; k < step.accesses.size(); ++k) {
    if (step.vectors[k] == vector && step.accesses[k] != VectorAccess::read) return true;
  }
  return false;
}

/// Whether a step must not come before one that decides.
bool needs(const Step& step, const Step& decision, VectorSlot solution) {
  if (decision.kind == StepKind::check && writes(step, solution)) return true;
  const std::set<ScalarSlot> slots = slots_of(decision);
  return std::ranges::any_of(slots_of(step), [&](ScalarSlot slot) { return slots.contains(slot); });
}

std::vector<Step> decided_late(std::vector<Step> steps, VectorSlot solution) {
  std::vector<Step> late;
  std::vector<Step> held;
  const auto release = [&] {
    std::ranges::move(held, std::back_inserter(late));
    held.clear();
  };
  for (Step& step : steps) {
    const bool decides = step.kind == StepKind::check || step.kind == StepKind::host_scalar;
    if (decides && !step.guard) {
      held.push_back(std::move(step));
      continue;
    }
    const bool is_needed = std::ranges::any_of(
        held, [&](const Step& decision) { return needs(step, decision, solution); });
    if (step.guard || is_needed) release();
    late.push_back(std::move(step));
  }
  release();
  return late;
}

}  // namespace

Solver with_late_decisions(Solver solver) {
  std::vector<Step>& steps = solver.schedule.iteration;
  steps = decided_late(std::move(steps), vector_slot(solver.schedule, solver.slots.solution));
  return solver;
}

}  // namespace sparsecast::cli
