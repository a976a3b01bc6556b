#include "model/traffic/priced_schedule.hpp"

#include <algorithm>
#include <utility>

#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/iteration_counts.hpp"
#include "model/step_kinds.hpp"
#include "model/traffic/cpu_waits.hpp"
#include "model/traffic/kernel_key.hpp"

namespace sparsecast {
namespace {

/// Vectors that a pass with blocks has in them; that another pass, or a product by diagonal blocks,
/// reads, and that it writes.
double vectors_of(const Step& step, const SteadyStep& touched) {
  if (!step.pass && !multiplies_by_blocks(step)) return 0;
  const std::vector<PassBlock> blocks = blocks_of(step);
  int vectors = 0;
  if (blocks.empty()) {
    for (const auto* all : {&touched.reads, &touched.writes}) {
      for (const TouchedVectors& each : *all) vectors += each.count;
    }
  }
  for (const PassBlock& block : blocks) vectors += block.count;
  return vectors;
}

/// Whether they cost the same on any segment.
bool alike(const PricedSchedule::Kernel& one, const PricedSchedule::Kernel& other) {
  const Step& a = *one.step;
  const Step& b = *other.step;
  return one.sums == other.sums && one.vectors == other.vectors && one.key == other.key &&
         one.cpu_waits == other.cpu_waits && a.kind == b.kind && a.launches == b.launches &&
         a.pass.has_value() == b.pass.has_value() && a.name == b.name && a.traffic == b.traffic &&
         one.touched.touches_like(other.touched);
}

}  // namespace

PricedSchedule::PricedSchedule(const Schedule& schedule)
    : schedule_(&schedule),
      steady_(schedule),
      has_passes_(sparsecast::has_passes(schedule)),
      multiplies_by_diagonal_blocks_(std::ranges::any_of(schedule.iteration, multiplies_by_blocks)),
      multiplies_by_transpose_(sparsecast::multiplies_by_transpose(schedule)),
      waits_(iteration_counts(schedule).waits),
      phases_(sum_phases(schedule)),
      working_set_(schedule) {
  const std::vector<int> waits = cpu_waits(schedule);
  for (const SteadyStep& steady : steady_.steps()) add_kernel(steady, waits[steady.step]);
  if (has_passes_) passes_ = pass_counts(schedule);
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step) && runs_kernel(step)) skipped_.push_back(&step);
    if (step.flops.per_unknown != 0 || step.flops.per_element != 0) flops_.push_back(step.flops);
  }
}

void PricedSchedule::add_kernel(const SteadyStep& steady, int waits) {
  Kernel kernel{&schedule_->iteration[steady.step], steady};
  const Step& step = *kernel.step;
  kernel.sums = sparsecast::sums(step);
  kernel.cpu_waits = waits;
  if (!kernel.multiplies()) {
    kernel.key = kernel_key(step);
    kernel.vectors = vectors_of(step, steady);
  }
  const auto known =
      std::ranges::find_if(kernels_, [&](const Kernel& other) { return alike(kernel, other); });
  kernel_of_step_.push_back(static_cast<std::size_t>(known - kernels_.begin()));
  if (known == kernels_.end()) kernels_.push_back(std::move(kernel));
}

double PricedSchedule::flops(const SegmentShape& shape) const {
  double sum = 0;
  for (const LinearCount& each : flops_) sum += evaluate(each, shape);
  return sum;
}

double PricedSchedule::working_set_bytes(const SegmentShape& shape, Precision precision) const {
  return working_set_.bytes(shape, precision);
}

}  // namespace sparsecast
