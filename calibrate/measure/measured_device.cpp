#include "calibrate/measure/measured_device.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/machine.hpp"
#include "core/engine/device_list.hpp"
#include "core/open_backend.hpp"

namespace sparsecast {

namespace {

std::string megahertz(double hertz) {
  return std::to_string(static_cast<int>(hertz / 1e6));
}

SampleOrigin origin_without_device() {
  const Environment environment = describe_environment();
  SampleOrigin origin;
  origin.environment = {{"operating_system", environment.operating_system},
                        {"compiler", environment.compiler},
                        {"program_version", environment.program_version},
                        {"date", environment.date},
                        {"cache_state", "hot"}};
  return origin;
}

SampleOrigin cpu_origin(int threads) {
  const CpuDescription cpu = describe_cpu();
  SampleOrigin origin = origin_without_device();
  origin.device =
      cpu.name + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  origin.kind = DeviceProfile::Kind::cpu;
  origin.memory_bytes = cpu.memory_bytes;
  origin.device_count_max = 1;  // thread groups share one memory: never advised as several devices
  origin.environment["instruction_set"] = cpu.instruction_set;
  origin.environment["threads"] = std::to_string(threads);
  origin.environment["l2_bytes"] = std::to_string(cpu.l2_bytes);
  origin.environment["l3_bytes"] = std::to_string(cpu.l3_bytes);
  return origin;
}

SampleOrigin gpu_origin(const GpuList& gpus, const GpuDevice& gpu) {
  SampleOrigin origin = origin_without_device();
  origin.device = gpu.name;
  origin.kind = DeviceProfile::Kind::gpu;
  origin.memory_bytes = gpu.memory_bytes;
  origin.device_count_max =
      static_cast<int>(std::ranges::count(gpus.devices, gpu.name, &GpuDevice::name));
  auto& environment = origin.environment;
  environment["compute_capability"] = std::to_string(gpu.compute_capability_major) + '.' +
                                      std::to_string(gpu.compute_capability_minor);
  environment["multiprocessors"] = std::to_string(gpu.multiprocessors);
  environment["threads_per_multiprocessor"] = std::to_string(gpu.threads_per_multiprocessor);
  environment["l2_bytes"] = std::to_string(gpu.l2_bytes);
  environment["shared_bytes_per_block"] = std::to_string(gpu.shared_bytes_per_block);
  environment["memory_bus_bits"] = std::to_string(gpu.memory_bus_bits);
  environment["core_clock_mhz"] = megahertz(gpu.core_clock_hertz);
  environment["memory_clock_mhz"] = megahertz(gpu.memory_clock_hertz);
  environment["ecc"] = gpu.ecc ? "on" : "off";
  environment["driver"] = gpus.driver_release;
  environment["driver_cuda_version"] = gpus.driver_version;
  environment["cuda_version"] = gpus.runtime_version;
  if (gpu.management) {
    const GpuManagement& management = *gpu.management;
    environment["core_clock_mhz_at_start"] = megahertz(management.core_clock_hertz);
    environment["memory_clock_mhz_at_start"] = megahertz(management.memory_clock_hertz);
    environment["other_processes"] = std::to_string(management.other_processes.size());
    if (management.multi_instance) {
      environment["multi_instance"] = *management.multi_instance ? "on" : "off";
    }
  } else {
    environment["management_absence"] = gpus.management_absence;
  }
  const CpuDescription cpu = describe_cpu();
  environment["host_cpu"] = cpu.name;
  environment["host_threads"] = std::to_string(cpu.threads);
  environment["host_memory_bytes"] = std::to_string(cpu.memory_bytes);
  return origin;
}

}  // namespace

MeasuredDevice measured_cpu(int threads) {
  MeasuredDevice device;
  device.origin = cpu_origin(threads);
  device.open = [threads](int devices, const CudaPolicy&) {
    return open_backend(consecutive_devices("cpu", devices), threads);
  };
  device.supply.threads = threads;
  return device;
}

MeasuredDevice measured_gpus(const std::vector<GpuPart>& places) {
  const auto list = [places](int devices) {
    return gpu_list(std::span(places).first(static_cast<std::size_t>(devices)));
  };
  const auto count = static_cast<int>(places.size());
  open_backend(list(count));  // refuses
  const GpuList gpus = list_gpus();
  const GpuDevice first = gpus.part(places.front());
  for (const GpuPart& place : places) {
    const std::string name = gpus.part(place).name;
    if (name != first.name) {
      throw Error(to_string(places.front()) + " is " + first.name + ", " + to_string(place) +
                  " is " + name + "; a profile is of devices of one kind");
    }
  }
  MeasuredDevice device;
  device.origin = gpu_origin(gpus, first);
  device.open = [list, count](int devices, const CudaPolicy& policy) {
    if (devices > count) {
      throw Error(std::to_string(devices) + " devices of " + list(count) + "; name more");
    }
    return open_backend(list(devices), 0, policy);
  };
  device.gpu = first.shape();
  device.state = [monitor = std::make_shared<GpuMonitor>(first.index)] { return monitor->state(); };
  // Matrices side by side, one thread each. Some cores are left for the thread that measures.
  const CpuDescription cpu = describe_cpu();
  constexpr int most_generators = 12;
  constexpr double most_memory_share = 0.3;
  device.supply.threads = 1;
  device.supply.generators_ahead = std::clamp(cpu.threads - 3, 1, most_generators);
  device.supply.most_bytes_ahead = most_memory_share * static_cast<double>(cpu.available_bytes);
  device.most_matrix_bytes = 0.25 * static_cast<double>(first.free_bytes);
  return device;
}

}  // namespace sparsecast
