#include "core/cuda/run/checked_schedule.cuh"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/cuda/run/run_state.cuh"
#include "core/formats/registry.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"

namespace sparsecast::cuda {

template <class T>
CheckedSchedule<T>::CheckedSchedule(const Schedule& schedule, const Layout& layout,
                                    const CudaPolicy& policy, std::int64_t rows,
                                    std::int64_t columns, bool has_matrix, bool overlaps)
    : schedule_(schedule),
      layout_(layout),
      policy_(policy),
      rows_(rows),
      columns_(columns),
      overlaps_(overlaps) {
  check_schedule(schedule_);
  require_sizes();
  carry_exchanges();
  setup_ = look_up(schedule_.setup);
  iteration_ = look_up(schedule_.iteration);
  finish_ = look_up(schedule_.finish);
  if (uses_matrix_ && !has_matrix) {
    throw Error("schedule '" + schedule_.name + "' multiplies: prepare it with a matrix");
  }
  require_square_where_needed();
  require_whole_schedule_kernel();
}

/// A kernel that makes a halo works on own rows and halo, so that all of its vectors are full.
template <class T>
void CheckedSchedule<T>::carry_exchanges() {
  if (policy_.exchange != ExchangeMode::nccl || overlaps_) return;
  carried_ = sparsecast::carried_exchanges(schedule_.iteration);
  for (const CarriedExchange& each : carried_) {
    for (const VectorSlot slot : schedule_.iteration[each.assigns].vectors) {
      schedule_.vectors[static_cast<std::size_t>(slot)].scope = VectorScope::full;
    }
  }
}

template <class T>
bool CheckedSchedule<T>::compiles_passes() const {
  return policy_.compile_passes && std::ranges::any_of(schedule_.iteration, [](const Step& step) {
           return step.pass.has_value();
         });
}

template <class T>
void CheckedSchedule<T>::require_sizes() const {
  const auto require = [this](std::size_t count, const char* what, std::size_t most) {
    if (count <= most) return;
    throw Error("schedule '" + schedule_.name + "' has " + std::to_string(count) + " " + what +
                "; CUDA takes at most " + std::to_string(most));
  };
  require(schedule_.scalars.size(), "scalars", most_schedule_scalars);
  require(schedule_.setup.size(), "setup steps", most_schedule_steps);
  require(schedule_.iteration.size(), "steps an iteration", most_schedule_steps);
  require(schedule_.finish.size(), "finish steps", most_schedule_steps);
}

template <class T>
CheckedSteps CheckedSchedule<T>::look_up(std::span<const Step> steps) {
  CheckedSteps checked;
  checked.steps = steps;
  for (const Step& step : steps) {
    checked.accesses.emplace_back();
    if (!is_kernel(step)) continue;
    const KernelSignature& entry = kernel_signature(step);
    checked.accesses.back() = entry.accesses(step, layout_.row_order);
    uses_matrix_ = uses_matrix_ || entry.uses_matrix;
  }
  return checked;
}

/// A full vector has the matrix's columns, a part its rows: only SpMV may tell them apart.
template <class T>
void CheckedSchedule<T>::require_square_where_needed() const {
  if (rows_ == columns_) return;
  for (const CheckedSteps* list : {&setup_, &iteration_, &finish_}) {
    for (std::size_t i = 0; i < list->steps.size(); ++i) {
      const Step& step = list->steps[i];
      bool touches_full = step.kind == StepKind::exchange || step.transposed;
      for (std::size_t k = 0; k < list->accesses[i].size(); ++k) {
        touches_full =
            touches_full || (is_full(step.vectors[k]) && in_segment(list->accesses[i][k]));
      }
      if (touches_full) {
        throw Error("schedule '" + schedule_.name + "' needs a square matrix; this one has " +
                    std::to_string(rows_) + " rows and " + std::to_string(columns_) + " columns");
      }
    }
  }
}

template <class T>
void CheckedSchedule<T>::require_whole_schedule_kernel() const {
  if (policy_.launch_mode != LaunchMode::persistent) return;
  const std::string refusal = "schedule '" + schedule_.name + "' cannot run as a persistent kernel";
  if (const std::string why = why_not_persistent(schedule_); !why.empty()) {
    throw Error(refusal + ": " + why + "; use launch mode graph");
  }
  if (!format_of(layout_).has_persistent_kernel) {
    throw Error(refusal + " in layout " + to_string(layout_) + "; use launch mode graph");
  }
}

template <class T>
void CheckedSchedule<T>::require_size(VectorSlot slot, std::size_t size) const {
  const std::int64_t expected = is_full(slot) ? columns_ : rows_;
  if (static_cast<std::int64_t>(size) != expected) {
    throw Error("vector '" + schedule_.vectors[static_cast<std::size_t>(slot)].name + "' has " +
                std::to_string(expected) + " values; got " + std::to_string(size));
  }
}

template class CheckedSchedule<float>;
template class CheckedSchedule<double>;

}  // namespace sparsecast::cuda
