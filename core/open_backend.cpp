#include "core/open_backend.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/device_list.hpp"

namespace sparsecast {

std::unique_ptr<Backend> open_backend(std::string_view devices, int threads) {
  return open_backend(devices, threads, CudaPolicy{});
}

std::unique_ptr<Backend> open_backend(std::string_view devices, int threads,
                                      const CudaPolicy& cuda) {
  const int available = threads > 0 ? threads : available_threads();
  if (threads < 0)
    throw Error("threads = " + std::to_string(threads) + "; expected 0 (all) or more");
  if (devices == "cpu") return std::make_unique<CpuBackend>(1, available);
  const bool gpus = devices.starts_with(gpu_kind);
  std::vector<GpuPart> places;
  int groups = 0;
  try {
    if (gpus) {
      places = parse_gpu_list(devices);
    } else {
      groups = static_cast<int>(parse_device_list(devices, group_kind, most_cpu_groups).size());
    }
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + "; there are 'cpu' (" + std::to_string(available) +
                " threads as one device), 'cpu:0,cpu:1,...' (these threads cut into groups) and "
                "GPUs ('cuda:0', 'cuda:0,cuda:1'; 32 multiprocessors of one: 'cuda:0/32')");
  }
  if (gpus) return std::make_unique<CudaBackend>(places, cuda);
  return std::make_unique<CpuBackend>(groups, std::max(1, available / groups));
}

}  // namespace sparsecast
