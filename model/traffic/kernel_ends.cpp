#include "model/traffic/kernel_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// Operations of which `kinds` are, but for those of the third round of a pattern and later ones:
/// loops, whose instructions are there.
int without_repeats(std::span<const int> kinds) {
  constexpr std::size_t longest_pattern = 12;
  int count = 0;
  for (std::size_t end = 1; end <= kinds.size(); ++end) {
    bool repeats = false;
    for (std::size_t period = 1; period <= longest_pattern && 3 * period <= end; ++period) {
      const auto rounds = kinds.subspan(end - 3 * period, 3 * period);
      repeats = repeats || std::ranges::equal(rounds.first(2 * period), rounds.last(2 * period));
    }
    count += repeats ? 0 : 1;
  }
  return count;
}

/// Of what stands behind one kernel.
class KernelEnd {
 public:
  void add(const Step& step) {
    const int guard = step.guard ? std::max(depth(step.guard->a), depth(step.guard->b)) : 0;
    for (const ScalarAssignment& each : step.assignments) {
      int& target = depths_[each.target];
      // Where it is skipped the value from before holds.
      const int before =
          step.guard || each.operation == ScalarOperation::count_unless_smaller ? target : 0;
      target = 1 + std::max({guard, before, depth(each.a), depth(each.b), depth(each.c)});
      chain_ = std::max(chain_, target);
      kinds_.push_back(static_cast<int>(each.operation));
    }
    constexpr int test = -1;
    for (const StopTest& each : step.stop_tests) {
      chain_ = std::max(chain_, 1 + std::max(depth(each.test.a), depth(each.test.b)));
      kinds_.push_back(test);
    }
  }

  bool is_empty() const { return kinds_.empty(); }
  int operations() const { return static_cast<int>(kinds_.size()); }
  int different_operations() const { return without_repeats(kinds_); }
  int chain() const { return chain_; }

 private:
  int depth(ScalarSlot slot) const {
    const auto found = depths_.find(slot);
    return found == depths_.end() ? 0 : found->second;
  }

  std::map<ScalarSlot, int> depths_;
  std::vector<int> kinds_;
  int chain_ = 0;
};

int further_sums(const Step& step) {
  if (!step.pass) return 0;
  auto sums = static_cast<int>(step.sums.size());
  for (const PassBlock& block : blocks_of(step)) sums -= block.of_dots() ? block.count : 0;
  return std::max(0, sums - 1);
}

}  // namespace

KernelEnds kernel_ends(const Schedule& schedule) {
  std::vector<Step> steps;
  for (const Step& step : schedule.iteration) {
    if (runs_mostly(step)) steps.push_back(step);
  }
  // What precedes the first kernel follows the last one of the iteration before.
  const auto first = std::ranges::find_if(steps, runs_kernel);
  const bool leads = std::any_of(steps.begin(), first, [](const Step& step) {
    return !step.assignments.empty() || !step.stop_tests.empty();
  });
  std::rotate(steps.begin(), first, steps.end());

  KernelEnds ends;
  ends.iteration = leads || std::ranges::any_of(schedule.iteration, [](const Step& step) {
                     return step.kind == StepKind::check;
                   });
  for (auto kernel = steps.begin(); kernel != steps.end();) {
    const auto next = std::find_if(kernel + 1, steps.end(), runs_kernel);
    KernelEnd end;
    for (auto step = kernel + 1; step != next; ++step) end.add(*step);
    const bool is_last = next == steps.end();
    if (!end.is_empty() || (is_last && ends.iteration)) {
      ++ends.kernels;
      ends.unsummed += sums(*kernel) ? 0 : 1;
    }
    if (kernel->pass) {
      ends.operations += end.different_operations();
    } else {
      ends.interpreted += end.operations();
    }
    ends.chain += end.chain();
    ends.further_sums += further_sums(*kernel);
    kernel = next;
  }
  return ends;
}

}  // namespace sparsecast
