#include "model/traffic/library_time.hpp"

#include <algorithm>
#include <cstddef>

#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

bool is_wait(const Step& step) {
  return step.kind == StepKind::barrier;
}

/// Makes kernels on vectors move their bytes at another rate than ours do.
void set_rate(const Schedule& schedule, double rate, TrafficPrice& kernels) {
  std::size_t kernel = 0;
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step) || !runs_kernel(step)) continue;
    StepPrice& price = kernels.steps.at(kernel++);
    if (step.pass) price.seconds += (price.seconds - price.fixed_seconds) * (1 / rate - 1);
  }
}

}  // namespace

LibraryCalls library_calls(const Schedule& schedule) {
  LibraryCalls counted;
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step)) continue;
    counted.calls += runs_kernel(step) ? 1 : 0;
    counted.waits += is_wait(step) ? 1 : 0;
  }
  return counted;
}

TrafficPrice with_host(const Schedule& schedule, const LibraryExecution& library,
                       TrafficPrice kernels) {
  set_rate(schedule, library.vector_rate, kernels);
  double host = 0;    // when the host goes on
  double device = 0;  // when the last kernel that was called ends
  const auto pass_iteration = [&] {
    std::size_t kernel = 0;
    for (const Step& step : schedule.iteration) {
      if (!runs_mostly(step)) continue;
      if (runs_kernel(step)) {
        host += library.host_call_seconds;
        device = std::max(device, host) + kernels.steps.at(kernel++).seconds;
      } else if (is_wait(step)) {
        host = std::max(host, device) + library.host_call_seconds;
      }
    }
    return std::max(host, device);
  };
  // The first begins with a GPU that has nothing to do; of later ones each is as long.
  constexpr int first_iterations = 2;
  for (int k = 0; k < first_iterations; ++k) pass_iteration();
  const double begin = std::max(host, device);
  kernels.seconds = pass_iteration() - begin;
  kernels.launch_seconds = kernels.seconds;
  for (const StepPrice& step : kernels.steps) kernels.launch_seconds -= step.seconds;
  kernels.launch_seconds = std::max(0.0, kernels.launch_seconds);
  return kernels;
}

}  // namespace sparsecast
