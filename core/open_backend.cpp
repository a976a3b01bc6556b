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
  std::vector<int> indices;
  try {
    indices = gpus ? parse_device_list(devices, gpu_kind)
                   : parse_device_list(devices, group_kind, most_cpu_groups);
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + "; there are 'cpu' (" + std::to_string(available) +
                " threads as one device), 'cpu:0,cpu:1,...' (these threads cut into groups) and "
                "GPUs ('cuda:0', 'cuda:0,cuda:1')");
  }
  if (gpus) return std::make_unique<CudaBackend>(indices, cuda);
  const int count = static_cast<int>(indices.size());
  return std::make_unique<CpuBackend>(count, std::max(1, available / count));
}

}  // namespace sparsecast
