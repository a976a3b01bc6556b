#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/cuda/device/gpu_description.hpp"
#include "core/engine/device_list.hpp"

namespace sparsecast {

/// All GPUs that this process may use.
struct GpuList {
  std::vector<GpuDevice> devices;
  std::string driver_version;   ///< highest CUDA version that the driver knows ("13.0"), or empty
  std::string driver_release;   ///< of the driver itself ("580.95.05"), or empty
  std::string runtime_version;  ///< CUDA version of this build, or empty
  /// Why there is none: built without CUDA, no driver, no GPU. Empty if there are devices.
  std::string absence;
  /// Why devices have no `management`. Empty if they have.
  std::string management_absence;

  /// The GPU, or one like it with the multiprocessors of a part: all else is the whole GPU's.
  GpuDevice part(const GpuPart& gpu) const {
    GpuDevice device = devices.at(static_cast<std::size_t>(gpu.gpu));
    if (gpu.multiprocessors > 0) device.multiprocessors = gpu.multiprocessors;
    return device;
  }
};

/// Watches one GPU through the driver's management library, cheaply enough for every measurement.
class GpuMonitor {
 public:
  /// Without the library, or without such a GPU, nothing is known.
  explicit GpuMonitor(int device);
  GpuMonitor(GpuMonitor&&) noexcept;
  GpuMonitor& operator=(GpuMonitor&&) noexcept;
  ~GpuMonitor();

  GpuState state() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Asks the driver. No driver, no GPU and a build without CUDA are answers, not errors; throws
/// `Error` only when a GPU that is there does not answer.
GpuList list_gpus();

/// Throws `Error` that says what there is when there is no such GPU or part of one.
void require_gpu(const GpuPart& device);

}  // namespace sparsecast
