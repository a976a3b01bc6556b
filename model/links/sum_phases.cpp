#include "model/links/sum_phases.hpp"

#include <set>
#include <utility>

#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

class PhaseFinder {
 public:
  explicit PhaseFinder(const Schedule& schedule) {
    // What is on its way at the end of an iteration is waited for in the next.
    walk(schedule);
    phases_.assign(1, {});
    walk(schedule);
    if (phases_.size() == 1) return;
    // The last goes on with the beginning of the next iteration.
    const SumPhase last = std::move(phases_.back());
    phases_.pop_back();
    SumPhase& first = phases_.front();
    first.steps.insert(first.steps.end(), last.steps.begin(), last.steps.end());
    first.products.insert(first.products.end(), last.products.begin(), last.products.end());
  }

  std::vector<SumPhase> take() { return std::move(phases_); }

 private:
  void walk(const Schedule& schedule) {
    std::size_t place = 0;
    for (const Step& step : schedule.iteration) {
      if (!runs_mostly(step)) continue;
      if (step.kind == StepKind::exchange) under_way_.insert(step.vectors.back());
      if (!runs_kernel(step)) continue;
      SumPhase& phase = phases_.back();
      phase.steps.push_back(place);
      const bool product = step.traffic.values_per_element > 0;
      if (product && under_way_.erase(step.vectors.front()) > 0) {
        phase.products.push_back({place, !step.transposed});
      }
      ++place;
      if (!sums(step)) continue;
      phase.sums = true;
      phases_.emplace_back();
    }
  }

  std::vector<SumPhase> phases_{1};
  std::set<VectorSlot> under_way_;  ///< exchanged, and not multiplied yet
};

}  // namespace

std::vector<SumPhase> sum_phases(const Schedule& schedule) {
  return PhaseFinder(schedule).take();
}

}  // namespace sparsecast
