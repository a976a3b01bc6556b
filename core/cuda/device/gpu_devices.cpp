#include "core/cuda/device/gpu_devices.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/gpu_management.cuh"

namespace sparsecast {

using namespace cuda;

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

double clock_hertz(cudaDeviceAttr attribute, int device) {
  int kilohertz = 0;
  SPARSECAST_CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, attribute, device));
  return 1e3 * kilohertz;
}

/// Without a context on the device, which the question for free memory needs, nothing is known of
/// its memory in use; the caller's current device is left as it was, but the whole of it.
std::int64_t free_bytes(int device) {
  int current = 0;
  SPARSECAST_CUDA_CHECK(cudaGetDevice(&current));
  SPARSECAST_CUDA_CHECK(cudaSetDevice(device));
  std::size_t free = 0;
  std::size_t total = 0;
  SPARSECAST_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  SPARSECAST_CUDA_CHECK(cudaSetDevice(current));
  return static_cast<std::int64_t>(free);
}

GpuDevice describe(int index, int count) {
  cudaDeviceProp properties{};
  SPARSECAST_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  GpuDevice device;
  device.index = index;
  device.name = properties.name;
  device.compute_capability_major = properties.major;
  device.compute_capability_minor = properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  device.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.free_bytes = free_bytes(index);
  device.l2_bytes = properties.l2CacheSize;
  device.shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  device.memory_bus_bits = properties.memoryBusWidth;
  device.core_clock_hertz = clock_hertz(cudaDevAttrClockRate, index);
  device.memory_clock_hertz = clock_hertz(cudaDevAttrMemoryClockRate, index);
  device.ecc = properties.ECCEnabled != 0;
  std::array<char, 32> pci_id{};
  SPARSECAST_CUDA_CHECK(
      cudaDeviceGetPCIBusId(pci_id.data(), static_cast<int>(pci_id.size()), index));
  device.pci_id = pci_id.data();
  std::ranges::transform(device.pci_id, device.pci_id.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  for (int other = 0; other < count; ++other) {
    int reachable = 0;
    if (other != index) {
      SPARSECAST_CUDA_CHECK(cudaDeviceCanAccessPeer(&reachable, index, other));
    }
    if (reachable != 0) device.peers.push_back(other);
  }
  return device;
}

void ask_manager(GpuList& list) {
  try {
    const GpuManager manager;
    list.driver_release = manager.driver_release();
    for (GpuDevice& device : list.devices) {
      device.management = manager.describe(device.pci_id);
      if (!device.management) continue;
      for (const GpuDevice& other : list.devices) {
        if (other.index != device.index && manager.linked(device.pci_id, other.pci_id)) {
          device.management->nvlink_peers.push_back(other.index);
        }
      }
    }
  } catch (const Error& error) {
    list.management_absence = error.what();
  }
}

}  // namespace

GpuList list_gpus() {
  GpuList list;
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) list.runtime_version = version_text(version);
  // Without a driver the version is 0.
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0) {
    list.driver_version = version_text(version);
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error != cudaSuccess || count == 0) {
    list.absence = list.driver_version.empty() ? "there is no NVIDIA driver"
                                               : "there is no GPU that this process may use";
    if (error != cudaSuccess) list.absence += std::string(" (") + cudaGetErrorString(error) + ")";
    return list;
  }
  for (int index = 0; index < count; ++index) list.devices.push_back(describe(index, count));
  ask_manager(list);
  return list;
}

class GpuMonitor::Implementation {
 public:
  explicit Implementation(int device) {
    std::array<char, 32> pci_id{};
    if (cudaDeviceGetPCIBusId(pci_id.data(), static_cast<int>(pci_id.size()), device) !=
        cudaSuccess) {
      cudaGetLastError();
      return;
    }
    pci_id_ = pci_id.data();
    try {
      manager_.emplace();
    } catch (const Error&) {
      // What is not known is not told; `list_gpus` says why.
    }
  }

  GpuState state() const { return manager_ ? manager_->state(pci_id_) : GpuState{}; }

 private:
  std::string pci_id_;
  std::optional<GpuManager> manager_;
};

GpuMonitor::GpuMonitor(int device) : implementation_(std::make_unique<Implementation>(device)) {}
GpuMonitor::GpuMonitor(GpuMonitor&&) noexcept = default;
GpuMonitor& GpuMonitor::operator=(GpuMonitor&&) noexcept = default;
GpuMonitor::~GpuMonitor() = default;

GpuState GpuMonitor::state() const {
  return implementation_->state();
}

void require_gpu(const GpuPart& device) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error != cudaSuccess || count == 0) {
    throw Error("no device '" + to_string(device) + "': " + list_gpus().absence + "; use 'cpu'");
  }
  if (device.gpu < 0 || device.gpu >= count) {
    throw Error("no device '" + to_string(device) + "'; there are cuda:0" +
                (count > 1 ? " to " + to_string(GpuPart(count - 1)) : std::string()) +
                " and 'cpu'");
  }
  if (device.multiprocessors == 0) return;
  use_gpu(device);
  use_gpu(device.gpu);
}

}  // namespace sparsecast
