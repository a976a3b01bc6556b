#include "core/cuda/device/gpu_json.hpp"

namespace sparsecast {

namespace {

JsonObject to_json(const GpuManagement& management) {
  JsonArray processes;
  for (const GpuProcess& process : management.other_processes) {
    processes.add(JsonObject{{"id", process.id}, {"memory_bytes", process.memory_bytes}});
  }
  return {{"core_clock_hertz", management.core_clock_hertz},
          {"memory_clock_hertz", management.memory_clock_hertz},
          {"most_core_clock_hertz", management.most_core_clock_hertz},
          {"most_memory_clock_hertz", management.most_memory_clock_hertz},
          {"multi_instance", management.multi_instance},
          {"nvlink_peers", management.nvlink_peers},
          {"other_processes", processes}};
}

}  // namespace

JsonObject to_json(const GpuDevice& gpu, const GpuList& gpus) {
  return {{"device", gpu.device_name()},
          {"name", gpu.name},
          {"compute_capability", gpu.compute_capability()},
          {"multiprocessors", gpu.multiprocessors},
          {"threads_per_multiprocessor", gpu.threads_per_multiprocessor},
          {"l2_bytes", gpu.l2_bytes},
          {"memory_bytes", gpu.memory_bytes},
          {"available_bytes", gpu.free_bytes},
          {"memory_bus_bits", gpu.memory_bus_bits},
          {"core_clock_hertz", gpu.core_clock_hertz},
          {"memory_clock_hertz", gpu.memory_clock_hertz},
          {"ecc", gpu.ecc},
          {"pci_id", gpu.pci_id},
          {"peers", gpu.peers},
          {"management", gpu.management ? to_json(*gpu.management) : JsonValue()},
          {"driver", gpus.driver_release},
          {"driver_cuda_version", gpus.driver_version},
          {"runtime_cuda_version", gpus.runtime_version}};
}

}  // namespace sparsecast
