#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/workload/gpu_execution.hpp"

namespace sparsecast {

/// A program that has memory or work on a GPU.
struct GpuProcess {
  std::int64_t id = 0;            ///< as the system that runs the driver counts
  std::int64_t memory_bytes = 0;  ///< on this GPU, 0 if unknown
};

/// What only the driver's management library (NVML) knows of a GPU.
struct GpuManagement {
  double core_clock_hertz = 0;  ///< now
  double memory_clock_hertz = 0;
  double most_core_clock_hertz = 0;  ///< that the card allows itself
  double most_memory_clock_hertz = 0;
  /// Whether it is cut into instances (MIG); nothing where the card cannot be.
  std::optional<bool> multi_instance;
  std::vector<int> nvlink_peers;  ///< devices of the list that NVLink joins it to; others: PCIe
  /// Other programs that use it now; of several instances those of all.
  std::vector<GpuProcess> other_processes;
};

/// One GPU as its driver describes it.
struct GpuDevice {
  int index = 0;     ///< as in "cuda:0"; CUDA_VISIBLE_DEVICES chooses and orders
  std::string name;  ///< "NVIDIA H200"
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;  ///< now
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  ///< at most, for kernels that ask for it
  int memory_bus_bits = 0;
  double core_clock_hertz = 0;  ///< the highest that the card allows itself
  double memory_clock_hertz = 0;
  bool ecc = false;
  std::string pci_id;      ///< "0000:1b:00.0"
  std::vector<int> peers;  ///< devices whose memory it can read directly
  std::optional<GpuManagement> management;

  std::string device_name() const { return "cuda:" + std::to_string(index); }
  std::string compute_capability() const {
    return std::to_string(compute_capability_major) + "." +
           std::to_string(compute_capability_minor);
  }
  /// As far as launches depend on it.
  GpuShape shape() const { return {multiprocessors, l2_bytes, shared_bytes_per_block}; }
};

/// What a GPU does at one moment.
struct GpuState {
  double core_clock_hertz = 0;  ///< 0 if unknown
  /// Why its clock is lower than it could be, words joined by '+' ("power_cap+thermal"); empty if
  /// it is not, or unknown. That it has nothing to do is no reason.
  std::string throttle_reasons;
};

/// The words of NVML's bit mask of throttle reasons (`nvmlDeviceGetCurrentClocksThrottleReasons`).
std::string throttle_reasons_of(std::uint64_t mask);

}  // namespace sparsecast
