#include "cli/commands/bench/paper/benched_device.hpp"

#include <algorithm>
#include <string>

#include "cli/command.hpp"
#include "cli/commands/bench/bench_options.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "model/estimate/data_sheet.hpp"
#include "model/estimate/device_sheet.hpp"

namespace sparsecast::cli {
namespace {

/// Multiply-adds in f32 of a multiprocessor in a clock (CUDA C++ Programming Guide, throughput of
/// arithmetic instructions): 64 of those for data centres up to 8.0, 128 of all others from 8.6 on.
int f32_per_clock(const GpuDevice& gpu) {
  const int version = 10 * gpu.compute_capability_major + gpu.compute_capability_minor;
  constexpr int ampere_data_centre = 80;
  return version <= ampere_data_centre ? 64 : 128;
}

/// The same in f64, of a known GPU of its compute capability; 0 where there is none.
int f64_per_clock(const GpuDevice& gpu) {
  const auto relative =
      std::ranges::find(data_sheets(), gpu.compute_capability(), &DataSheet::compute_capability);
  return relative == data_sheets().end() ? 0 : relative->f64_per_clock;
}

}  // namespace

BenchedDevice open_benched(const std::string& name, int threads) {
  BenchedDevice device;
  device.name = name;
  device.backend = open_device(name, is_gpu(name) ? 0 : threads, CudaPolicy{});
  if (!is_gpu(name)) {
    device.cache_bytes = static_cast<double>(describe_cpu().l3_bytes);
    return device;
  }
  const GpuDevice gpu = list_gpus().part(benched_gpu(name));
  constexpr double mega = 1e6;
  constexpr double giga = 1e9;
  device.cache_bytes = static_cast<double>(gpu.l2_bytes);
  device.peak_bytes_per_second =
      giga * memory_peak_gbps({{"memory_clock_mhz", std::to_string(gpu.memory_clock_hertz / mega)},
                               {"memory_bus_bits", std::to_string(gpu.memory_bus_bits)}});
  const double clocks = 2 * gpu.multiprocessors * gpu.core_clock_hertz;
  device.peak_flops_f32 = clocks * f32_per_clock(gpu);
  device.peak_flops_f64 = clocks * f64_per_clock(gpu);
  return device;
}

}  // namespace sparsecast::cli
