#include "cli/commands/bench/blocks/vector_timing.hpp"

#include <functional>
#include <type_traits>
#include <vector>

#include "core/cuda/vector/two_kernel_dot.hpp"
#include "core/schedule/pass_step.hpp"

namespace sparsecast::cli {
namespace {

Schedule saxpy_schedule() {
  Schedule schedule;
  schedule.name = "saxpy";
  schedule.vectors = {{"y"}, {"x"}};
  // A factor of 0 keeps y where it is.
  schedule.scalars = {{"a", 0}};
  schedule.iteration = {pass_step({{PassStatement{0, {{1, -1, 0}, {1, 0, 1}}, -1, -1}}}, {0, 1})};
  return schedule;
}

Timing time_runs(const std::function<void(std::int64_t)>& run, double max_seconds) {
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = max_seconds;
  return measure(run, stopwatch);
}

}  // namespace

template <class T>
Timing time_saxpy(Backend& backend, std::int64_t values, double max_seconds, BlockMeasurement& m) {
  const Schedule schedule = saxpy_schedule();
  const auto prepared = [&] {
    if constexpr (std::is_same_v<T, float>) return backend.prepare_vectors_f32(schedule, values);
    if constexpr (std::is_same_v<T, double>) return backend.prepare_vectors_f64(schedule, values);
  }();
  const Timing timing =
      time_runs([&](std::int64_t repeats) { prepared->run(repeats); }, max_seconds);
  const RunCounters counters = prepared->counters();
  m.flops = 2 * static_cast<double>(values);
  m.bytes = counters.bytes.total() / static_cast<double>(counters.iterations);
  return timing;
}

template <class T>
Timing time_dot(const GpuPart& gpu, std::int64_t values, int values_per_block, double max_seconds,
                BlockMeasurement& m) {
  const std::vector<T> ones(static_cast<std::size_t>(values), T{1});
  TwoKernelDot<T> dot(gpu, values_per_block, ones, ones);
  m.flops = 2 * static_cast<double>(values) - 1;
  m.bytes = 2 * static_cast<double>(values) * sizeof(T);
  return time_runs([&](std::int64_t repeats) { dot.run(repeats); }, max_seconds);
}

template Timing time_saxpy<float>(Backend&, std::int64_t, double, BlockMeasurement&);
template Timing time_saxpy<double>(Backend&, std::int64_t, double, BlockMeasurement&);
template Timing time_dot<float>(const GpuPart&, std::int64_t, int, double, BlockMeasurement&);
template Timing time_dot<double>(const GpuPart&, std::int64_t, int, double, BlockMeasurement&);

}  // namespace sparsecast::cli
