#include "core/cuda/host_run.cuh"

namespace sparsecast::cuda {

void HostRun::fetch() {
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(values_.data(), scalars_.data(), scalars_.size_bytes(),
                                        cudaMemcpyDeviceToHost, stream_));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_));
  ++waits_;
}

/// From pageable memory, which is copied before the call returns and may then change.
void HostRun::send() {
  if (!changed_) return;
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(scalars_.data(), values_.data(), scalars_.size_bytes(),
                                        cudaMemcpyHostToDevice, stream_));
  changed_ = false;
}

RunReport HostRun::run(std::int64_t iterations) {
  fetch();
  RunReport report;
  while (report.iterations < iterations && iterate(report)) ++report.iterations;
  send();
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_));
  ++waits_;
  return report;
}

bool HostRun::iterate(RunReport& report) {
  bool kernel_ran = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.guard && !holds(*step.guard, values_)) continue;
    switch (step.kind) {
      case StepKind::kernel:
      case StepKind::reduce:
        send();
        for (const Launch& launch : launches_[i]) launch(stream_);
        launched_ += static_cast<std::int64_t>(launches_[i].size());
        kernel_ran = true;
        if (step.kind == StepKind::reduce || !step.sums.empty()) fetch();
        break;
      case StepKind::exchange:
      case StepKind::barrier:
        ++runs_[i];
        break;
      case StepKind::host_scalar:
        for (const ScalarAssignment& assignment : step.assignments) {
          sparsecast::apply(assignment, values_);
        }
        changed_ = true;
        break;
      case StepKind::check:
        if (const auto outcome = checked(step, values_)) {
          report.outcome = *outcome;
          report.iterations += kernel_ran ? 1 : 0;
          return false;
        }
        break;
    }
  }
  return true;
}

}  // namespace sparsecast::cuda
