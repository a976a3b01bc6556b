#include "core/cpu/run/cpu_counters.hpp"

namespace sparsecast {
namespace {

template <class T>
void count_bytes(const PlannedStep& step, double runs, const CpuDevice<T>& device,
                 BytesByKind& bytes) {
  const auto rows = static_cast<double>(device.segment().rows());
  for (std::size_t i = 0; i < step.accesses.size(); ++i) {
    const Access access = step.accesses[i];
    const double values = access == Access::gather
                              ? static_cast<double>(device.vectors().held(step.vectors[i]).count())
                              : rows;
    if (reads(access)) bytes.vector_reads += runs * values * sizeof(T);
    if (writes(access)) bytes.vector_writes += runs * values * sizeof(T);
  }
  if (!step.uses_matrix) return;
  const BytesByKind read = device.matrix(step.transposed)->bytes_read();
  bytes.values += runs * read.values;
  bytes.indices += runs * read.indices;
  bytes.row_pointers += runs * read.row_pointers;
}

}  // namespace

template <class T>
void count(const CpuProgram& program, std::span<const std::int64_t> item_runs,
           std::span<const std::unique_ptr<CpuDevice<T>>> devices, std::int64_t exchanged_values,
           RunCounters& counters) {
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const std::int64_t runs = item_runs[i];
    for (int k = program.items[i].first; k < program.items[i].last; ++k) {
      const Step& step = program.steps[static_cast<std::size_t>(k)];
      const bool reduces = step.kind == StepKind::reduce;
      const bool exchanges = step.kind == StepKind::exchange;
      counters.launches += runs * step.launches;
      if (step.kind == StepKind::kernel || reduces) counters.kernels += runs;
      if (reduces) counters.reductions += runs;
      if (exchanges) counters.exchanges += runs;
      if (reduces || exchanges || step.kind == StepKind::barrier || !step.sums.empty()) {
        counters.barriers += runs;
      }
      if (exchanges) {
        const std::int64_t values = runs * exchanged_values;
        counters.exchanged_values += values;
        counters.bytes.exchanged += static_cast<double>(values) * sizeof(T);
      }
      for (const auto& device : devices) {
        count_bytes(program.planned[static_cast<std::size_t>(k)], static_cast<double>(runs),
                    *device, counters.bytes);
      }
    }
  }
}

template void count<float>(const CpuProgram& program, std::span<const std::int64_t> item_runs,
                           std::span<const std::unique_ptr<CpuDevice<float>>> devices,
                           std::int64_t exchanged_values, RunCounters& counters);
template void count<double>(const CpuProgram& program, std::span<const std::int64_t> item_runs,
                            std::span<const std::unique_ptr<CpuDevice<double>>> devices,
                            std::int64_t exchanged_values, RunCounters& counters);

}  // namespace sparsecast
