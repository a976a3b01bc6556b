#include "core/schedule/iteration_counts.hpp"

namespace sparsecast {

IterationCounts iteration_counts(const Schedule& schedule) {
  IterationCounts counts;
  bool has_new_sums = false;
  for (const Step& step : schedule.iteration) {
    const bool decides = step.kind == StepKind::check || step.kind == StepKind::host_scalar;
    if (has_new_sums && (step.guard || decides)) {
      ++counts.waits;
      has_new_sums = false;
    }
    if (step.guard && !step.guard_mostly_holds) continue;
    const bool reduces = step.kind == StepKind::reduce;
    if (step.kind != StepKind::kernel && !reduces) continue;
    ++counts.kernels;
    counts.sums += reduces ? 1 : static_cast<int>(step.sums.size());
    counts.values += step.traffic.vector_reads_per_unknown +
                     step.traffic.vector_writes_per_unknown +
                     step.traffic.gathered_per_total_unknown;
    has_new_sums = has_new_sums || reduces || !step.sums.empty();
  }
  return counts;
}

}  // namespace sparsecast
