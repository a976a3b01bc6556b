#pragma once

#include <optional>
#include <string>

#include "core/cuda/device/gpu_description.hpp"

namespace sparsecast::cuda {

/// NVML, the library of NVIDIA's driver that `nvidia-smi` asks, loaded when it is first needed.
class GpuManager {
 public:
  /// Throws `Error` that says why when the driver has none or it does not answer.
  GpuManager();
  GpuManager(const GpuManager&) = delete;
  GpuManager& operator=(const GpuManager&) = delete;
  ~GpuManager();

  /// "580.95.05", or empty.
  std::string driver_release() const;

  /// Of the GPU on this place of the bus ("0000:1b:00.0"), whatever CUDA_VISIBLE_DEVICES calls it;
  /// nothing when it does not answer. What a card does not know stays 0.
  std::optional<GpuManagement> describe(const std::string& pci_id) const;

  /// Whether NVLink joins two GPUs, by their places; false when they do not answer.
  bool linked(const std::string& pci_id, const std::string& other_pci_id) const;

  /// Its clock now and what holds it down.
  GpuState state(const std::string& pci_id) const;
};

}  // namespace sparsecast::cuda
