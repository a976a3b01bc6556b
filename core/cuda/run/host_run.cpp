#include "core/cuda/run/host_run.cuh"

namespace sparsecast::cuda {

void HostRun::synchronize() {
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_));
  ++waits_;
}

void HostRun::fetch() {
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(values_.data(), scalars_.data(), scalars_.size_bytes(),
                                        cudaMemcpyDeviceToHost, stream_));
  synchronize();
  has_sums_ = false;
}

void HostRun::fetch_new_sums() {
  if (has_sums_) fetch();
}

/// From pageable memory, which is copied before the call returns and may then change.
void HostRun::send() {
  if (!changed_) return;
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(scalars_.data(), values_.data(), scalars_.size_bytes(),
                                        cudaMemcpyHostToDevice, stream_));
  changed_ = false;
}

std::optional<RunReport> HostRun::run(std::int64_t iterations) {
  fetch();
  RunReport report;
  Going going = Going::on;
  while (report.iterations < iterations && going == Going::on) {
    going = iterate(report);
    if (going == Going::stopped) return std::nullopt;
    if (going == Going::on) ++report.iterations;
  }
  send();
  synchronize();
  return report;
}

bool HostRun::add_over_devices(std::span<const ScalarSlot> slots) {
  if (peers_.meeting == nullptr || slots.empty()) return true;
  fetch();
  if (!add_up(slots)) return false;
  send();
  synchronize();
  return true;
}

bool HostRun::add_up(std::span<const ScalarSlot> slots) {
  if (peers_.meeting == nullptr) return true;
  sums_.clear();
  for (const ScalarSlot slot : slots) sums_.push_back(values_[static_cast<std::size_t>(slot)]);
  if (!peers_.meeting->add_up(peers_.place, sums_)) return false;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    values_[static_cast<std::size_t>(slots[k])] = sums_[k];
  }
  changed_ = true;
  return true;
}

bool HostRun::take_sums(std::span<const ScalarSlot> slots) {
  has_sums_ = true;
  if (peers_.meeting == nullptr) return true;
  fetch();
  return add_up(slots);
}

bool HostRun::exchange(std::size_t step) {
  if (peers_.meeting == nullptr) return true;
  ++waits_;
  const auto& [own_part, whole] = exchanges_[step];
  return peers_.meeting->exchange(peers_.place, own_part, whole, stream_);
}

HostRun::Going HostRun::iterate(RunReport& report) {
  bool kernel_ran = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.guard) {
      fetch_new_sums();
      if (!holds(*step.guard, values_)) continue;
    }
    bool goes_on = true;
    switch (step.kind) {
      case StepKind::kernel:
      case StepKind::reduce:
        send();
        for (const Launch& launch : launches_[i]) launch(stream_);
        launched_ += static_cast<std::int64_t>(launches_[i].size());
        kernel_ran = true;
        if (step.kind == StepKind::reduce) {
          goes_on = take_sums(std::span(step.scalars).first(1));
        } else if (!step.sums.empty()) {
          goes_on = take_sums(step.sums);
        }
        break;
      case StepKind::exchange:
        ++runs_[i];
        goes_on = exchange(i);
        break;
      case StepKind::barrier:
        ++runs_[i];
        goes_on = peers_.meeting == nullptr || peers_.meeting->wait();
        break;
      case StepKind::host_scalar:
        fetch_new_sums();
        for (const ScalarAssignment& assignment : step.assignments) {
          sparsecast::apply(assignment, values_);
        }
        changed_ = true;
        break;
      case StepKind::check:
        fetch_new_sums();
        if (const auto outcome = checked(step, values_)) {
          report.outcome = *outcome;
          report.iterations += kernel_ran ? 1 : 0;
          return Going::ended;
        }
        break;
    }
    if (!goes_on) return Going::stopped;
  }
  return Going::on;
}

}  // namespace sparsecast::cuda
