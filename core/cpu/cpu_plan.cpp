#include "core/cpu/cpu_plan.hpp"

#include <algorithm>

namespace sparsecast {
namespace {

/// A use of a vector since the threads last waited for each other.
struct Use {
  VectorSlot vector = -1;
  Access access = Access::read;
  RowSplit split = RowSplit::equal_rows;
};

/// Whether two threads could touch the same value, one of them writing.
bool conflict(const Use& a, const Use& b) {
  if (a.vector != b.vector || !(writes(a.access) || writes(b.access))) return false;
  return !(by_row(a.access) && by_row(b.access) && a.split == b.split);
}

bool conflict(std::span<const Use> some, std::span<const Use> others) {
  return std::ranges::any_of(some, [&](const Use& a) {
    return std::ranges::any_of(others, [&](const Use& b) { return conflict(a, b); });
  });
}

/// Appends what a step does to vectors; of an exchange what comes before its synchronisation.
void append_uses(const PlannedStep& step, RowSplit split, std::vector<Use>& uses) {
  if (step.kind == StepKind::exchange) {
    uses.push_back({step.vectors[0], Access::read, split});
    return;
  }
  for (std::size_t i = 0; i < step.accesses.size(); ++i) {
    uses.push_back({step.vectors[i], step.accesses[i], split});
  }
}

bool runs_on_rows(const PlannedStep& step) {
  return (step.kind == StepKind::kernel || step.kind == StepKind::reduce) && !step.self_scheduled;
}

/// Steps that touch the same rows, one after another.
std::vector<PlanItem> group_steps(std::span<const PlannedStep> steps) {
  std::vector<PlanItem> items;
  std::vector<Use> group_uses;
  bool open = false;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const PlannedStep& step = steps[static_cast<std::size_t>(i)];
    std::vector<Use> uses;
    append_uses(step, RowSplit::equal_rows, uses);
    const bool joins = open && runs_on_rows(step) &&
                       step.guard == steps[static_cast<std::size_t>(items.back().first)].guard &&
                       !conflict(group_uses, uses);
    if (joins) {
      items.back().last = i + 1;
    } else {
      items.push_back({i, i + 1, false, RowSplit::equal_rows});
      group_uses.clear();
    }
    group_uses.insert(group_uses.end(), uses.begin(), uses.end());
    if (step.uses_matrix) items.back().split = RowSplit::equal_elements;
    open = runs_on_rows(step) && step.kind != StepKind::reduce && !step.sums;
  }
  return items;
}

}  // namespace

std::vector<PlanItem> plan_steps(std::span<const PlannedStep> steps, bool repeated, bool several) {
  std::vector<PlanItem> items = group_steps(steps);
  std::vector<Use> open;
  // The second round meets what the end of the first left open; a barrier only ever closes.
  for (int round = 0; round < (repeated ? 2 : 1); ++round) {
    for (PlanItem& item : items) {
      const auto item_steps = steps.subspan(static_cast<std::size_t>(item.first),
                                            static_cast<std::size_t>(item.last - item.first));
      const PlannedStep& last = item_steps.back();
      const bool exchanges = last.kind == StepKind::exchange;
      if (exchanges && !several) continue;
      std::vector<Use> uses;
      for (const PlannedStep& step : item_steps) append_uses(step, item.split, uses);
      if (conflict(open, uses)) item.barrier_before = true;
      if (item.barrier_before) open.clear();
      open.insert(open.end(), uses.begin(), uses.end());

      const bool synchronises = last.kind == StepKind::reduce || last.kind == StepKind::barrier ||
                                exchanges || last.self_scheduled || last.sums;
      // A guard may skip it.
      if (synchronises && !last.guard) open.clear();
      if (exchanges) open.push_back({last.vectors.back(), Access::scatter, item.split});
    }
  }
  return items;
}

}  // namespace sparsecast
