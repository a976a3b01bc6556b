#include "core/cuda/device/gpu_management.cuh"

#include <unistd.h>

#include <array>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/shared_library.hpp"

namespace sparsecast::cuda {
namespace {

// The part of NVML's binary interface that is used here: the driver brings the library, but no
// header, and not every toolkit does.
struct NvmlDevice;
using Device = NvmlDevice*;
using Status = int;
constexpr Status success = 0;
constexpr Status insufficient_size = 7;
enum Clock { core_clock = 1, memory_clock = 2 };
constexpr int by_nvlink = 2;  // of the questions about two devices
struct Process {
  unsigned int id;
  unsigned long long memory_bytes;  ///< all ones: not known
  unsigned int instance;
  unsigned int compute_instance;
};

struct Functions {
  Status (*initialize)() = nullptr;
  Status (*shut_down)() = nullptr;
  const char* (*describe_error)(Status) = nullptr;
  Status (*driver_version)(char*, unsigned int) = nullptr;
  Status (*device_at)(const char*, Device*) = nullptr;
  Status (*clock)(Device, int, unsigned int*) = nullptr;
  Status (*most_clock)(Device, int, unsigned int*) = nullptr;
  Status (*instance_mode)(Device, unsigned int*, unsigned int*) = nullptr;
  Status (*link_status)(Device, Device, int, int*) = nullptr;
  Status (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  Status (*compute_processes)(Device, unsigned int*, Process*) = nullptr;
  Status (*graphics_processes)(Device, unsigned int*, Process*) = nullptr;
};

const Functions& nvml() {
  static const Functions all = [] {
    const SharedLibrary library("libnvidia-ml.so.1", "NVIDIA's driver");
    Functions functions;
    library.find("nvmlInit_v2", functions.initialize);
    library.find("nvmlShutdown", functions.shut_down);
    library.find("nvmlErrorString", functions.describe_error);
    library.find("nvmlSystemGetDriverVersion", functions.driver_version);
    library.find("nvmlDeviceGetHandleByPciBusId_v2", functions.device_at);
    library.find("nvmlDeviceGetClockInfo", functions.clock);
    library.find("nvmlDeviceGetMaxClockInfo", functions.most_clock);
    library.find("nvmlDeviceGetMigMode", functions.instance_mode);
    library.find("nvmlDeviceGetP2PStatus", functions.link_status);
    library.find("nvmlDeviceGetCurrentClocksThrottleReasons", functions.throttle_reasons);
    library.find("nvmlDeviceGetComputeRunningProcesses_v3", functions.compute_processes);
    library.find("nvmlDeviceGetGraphicsRunningProcesses_v3", functions.graphics_processes);
    return functions;
  }();
  return all;
}

using ClockQuestion = Status (*)(Device, int, unsigned int*);
double hertz(ClockQuestion ask, Device device, Clock which) {
  unsigned int megahertz = 0;
  return ask(device, which, &megahertz) == success ? 1e6 * megahertz : 0;
}

using ProcessQuestion = Status (*)(Device, unsigned int*, Process*);
std::vector<Process> processes(ProcessQuestion ask, Device device) {
  unsigned int count = 0;
  Status status = ask(device, &count, nullptr);
  std::vector<Process> found;
  while (status == insufficient_size) {  // they come and go between two questions
    count += 8;
    found.resize(count);
    status = ask(device, &count, found.data());
  }
  found.resize(status == success ? count : 0);
  return found;
}

}  // namespace

GpuManager::GpuManager() {
  const Status status = nvml().initialize();
  if (status != success) {
    throw Error(std::string("libnvidia-ml.so.1 does not answer: ") + nvml().describe_error(status));
  }
}

GpuManager::~GpuManager() {
  nvml().shut_down();
}

std::string GpuManager::driver_release() const {
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned int>(text.size());
  return nvml().driver_version(text.data(), size) == success ? text.data() : "";
}

std::optional<GpuManagement> GpuManager::describe(const std::string& pci_id) const {
  Device device = nullptr;
  if (nvml().device_at(pci_id.c_str(), &device) != success) return {};
  GpuManagement management;
  management.core_clock_hertz = hertz(nvml().clock, device, core_clock);
  management.memory_clock_hertz = hertz(nvml().clock, device, memory_clock);
  management.most_core_clock_hertz = hertz(nvml().most_clock, device, core_clock);
  management.most_memory_clock_hertz = hertz(nvml().most_clock, device, memory_clock);
  unsigned int now = 0;
  unsigned int after_reset = 0;
  if (nvml().instance_mode(device, &now, &after_reset) == success) {
    management.multi_instance = now != 0;
  }
  for (const ProcessQuestion ask : {nvml().compute_processes, nvml().graphics_processes}) {
    for (const Process& process : processes(ask, device)) {
      if (static_cast<std::int64_t>(process.id) == getpid()) continue;
      const bool known = process.memory_bytes != ~0ull;
      management.other_processes.push_back(
          {process.id, known ? static_cast<std::int64_t>(process.memory_bytes) : 0});
    }
  }
  return management;
}

bool GpuManager::linked(const std::string& pci_id, const std::string& other_pci_id) const {
  Device device = nullptr;
  Device other = nullptr;
  if (nvml().device_at(pci_id.c_str(), &device) != success) return false;
  if (nvml().device_at(other_pci_id.c_str(), &other) != success) return false;
  int status = -1;
  return nvml().link_status(device, other, by_nvlink, &status) == success && status == 0;
}

GpuState GpuManager::state(const std::string& pci_id) const {
  GpuState state;
  Device device = nullptr;
  if (nvml().device_at(pci_id.c_str(), &device) != success) return state;
  state.core_clock_hertz = hertz(nvml().clock, device, core_clock);
  unsigned long long reasons = 0;
  if (nvml().throttle_reasons(device, &reasons) == success) {
    state.throttle_reasons = throttle_reasons_of(reasons);
  }
  return state;
}

}  // namespace sparsecast::cuda
