#include "core/cpu/run/cpu_run.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/cpu/cpu_kernels.hpp"
#include "core/cpu/run/cache_line.hpp"
#include "core/cpu/run/denormals_are_zero.hpp"

namespace sparsecast {

template <class T>
CpuRun<T>::CpuRun(const CpuProgram& program, CpuTeam<T>& team, std::int64_t rows_per_part)
    : program_(program), team_(team), rows_per_part_(rows_per_part) {
  bind();
  item_runs_.assign(program_.items.size(), 0);
  kernel_sums_.assign(
      program_.items.size() * static_cast<std::size_t>(team_.size) * values_per_line<double>, 0);
}

template <class T>
void CpuRun<T>::bind() {
  for (const auto& device : team_.devices) {
    const std::int64_t begin_row = device->segment().begin_row;
    std::vector<CpuCall<T>>& calls = calls_.emplace_back();
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const PlannedStep& planned = program_.planned[i];
      CpuCall<T> call;
      call.kernels = &cpu_kernels<T>();
      call.matrix = device->matrix(planned.transposed);
      call.scalars = program_.steps[i].scalars;
      call.sums = planned.sums;
      call.first_row = begin_row;
      call.rows = device->segment().rows();
      if (program_.steps[i].pass) call.pass = &*program_.steps[i].pass;
      for (std::size_t k = 0; k < planned.vectors.size(); ++k) {
        const VectorSlot slot = planned.vectors[k];
        const bool own_part = k < planned.accesses.size() && in_segment(planned.accesses[k]);
        call.vectors.push_back(own_part ? device->vectors().at_row(slot, begin_row)
                                        : device->vectors().data(slot));
      }
      call.reads = static_cast<int>(std::ranges::count(planned.accesses, Access::read));
      calls.push_back(std::move(call));
    }
  }
  for (const Step& step : program_.steps) {
    const bool on_rows = step.kind == StepKind::kernel || step.kind == StepKind::reduce;
    functions_.push_back(on_rows ? cpu_function<T>(step) : nullptr);
  }
}

template <class T>
RunReport CpuRun<T>::run(std::int64_t iterations) {
  RunReport report;
  const std::function<void(int)> body = [&](int thread) {
    const DenormalsAreZero denormals_are_zero;
    const RunReport mine = run_thread(iterations, thread);
    if (thread == 0) report = mine;
  };
  team_.threads.run(body);
  add_up_kernel_sums();
  return report;
}

template <class T>
RunReport CpuRun<T>::run_thread(std::int64_t iterations, int index) {
  CpuThread thread = team_.thread(index);
  CpuDevice<T>& device = *team_.devices[thread.device];
  std::int64_t* runs = index == 0 ? item_runs_.data() : nullptr;
  const CpuProgram& program = program_;  // not looked up again after every kernel
  RunReport report;
  for (; report.iterations < iterations; ++report.iterations) {
    bool kernel_ran = false;
    for (std::size_t i = 0; i < program.items.size(); ++i) {
      const PlanItem& item = program.items[i];
      if (item.barrier_before) device.barrier();
      const Step& first = program.steps[static_cast<std::size_t>(item.first)];
      if (first.guard && !holds(*first.guard, thread.scalars)) continue;
      if (runs != nullptr) ++runs[i];
      switch (first.kind) {
        case StepKind::kernel:
        case StepKind::reduce:
          run_group(program, i, device, thread);
          kernel_ran = true;
          break;
        case StepKind::exchange:
          team_.exchange.exchange(first, device, thread.lane, thread.exchanges++ % 2);
          break;
        case StepKind::barrier:
          team_.barrier();
          break;
        case StepKind::host_scalar:
          for (const ScalarAssignment& assignment : first.assignments) {
            apply(assignment, thread.scalars);
          }
          break;
        case StepKind::check:
          if (const auto outcome = checked(first, thread.scalars)) {
            report.outcome = *outcome;
            report.iterations += kernel_ran ? 1 : 0;
            return report;
          }
          break;
      }
    }
  }
  return report;
}

template <class T>
void CpuRun<T>::run_group(const CpuProgram& program, std::size_t item_index, CpuDevice<T>& device,
                          CpuThread& thread) {
  const PlanItem& item = program.items[item_index];
  const auto first = static_cast<std::size_t>(item.first);
  const auto last = static_cast<std::size_t>(item.last) - 1;
  if (program.planned[first].self_scheduled) {
    kernel_sum(item_index, thread.index) = run_self_scheduled(first, device, thread);
    return;
  }
  const RowRange rows = device.rows(item.split, thread.lane);
  const CpuCall<T>* calls = calls_[thread.device].data();
  const CpuFunction<T>* functions = functions_.data();
  PartialSums parts;
  for (std::size_t i = first; i <= last; ++i) {
    parts = functions[i](calls[i], thread.scalars, rows.begin, rows.end);
  }
  if (!program.sums[last].empty()) {
    team_.reduction.add_up(parts, program.sums[last], thread);
  } else if (program.sums_at_end[last]) {
    kernel_sum(item_index, thread.index) = parts.values[0];
  }
}

template <class T>
double CpuRun<T>::run_self_scheduled(std::size_t step, CpuDevice<T>& device, CpuThread& thread) {
  const auto turn = static_cast<std::size_t>(thread.self_scheduled++ % 2);
  const CpuCall<T>& call = calls_[thread.device][step];
  const std::int64_t rows = device.segment().rows();
  double sum = 0;
  while (true) {
    const std::int64_t begin = device.take_part(turn) * rows_per_part_;
    if (begin >= rows) break;
    const std::int64_t end = std::min(rows, begin + rows_per_part_);
    sum += functions_[step](call, thread.scalars, begin, end).values[0];
  }
  device.barrier();
  // Nobody takes from here again before the next such step's barrier.
  if (thread.lane == 0) device.rewind_parts(turn);
  return sum;
}

/// A thread's part of the sum of a kernel such as LoadFixed, in a cache line of its own.
template <class T>
double& CpuRun<T>::kernel_sum(std::size_t item, int thread) {
  return kernel_sums_[(item * static_cast<std::size_t>(team_.size) +
                       static_cast<std::size_t>(thread)) *
                      values_per_line<double>];
}

template <class T>
void CpuRun<T>::add_up_kernel_sums() {
  for (std::size_t item = 0; item < program_.items.size(); ++item) {
    const auto last = static_cast<std::size_t>(program_.items[item].last) - 1;
    if (!program_.sums_at_end[last] || item_runs_[item] == 0) continue;
    double total = 0;
    for (int thread = 0; thread < team_.size; ++thread) total += kernel_sum(item, thread);
    team_.scalars.set(program_.steps[last].scalars[0], total);
  }
}

template class CpuRun<float>;
template class CpuRun<double>;

}  // namespace sparsecast
