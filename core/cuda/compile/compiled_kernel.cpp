#include "core/cuda/compile/compiled_kernel.cuh"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/compile/compiler.cuh"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"

namespace sparsecast::cuda {
namespace {

/// Generations of GPUs that NVRTC knows, none where there is no NVRTC; it is loaded by a thread of
/// its own.
const std::shared_future<std::vector<int>>& compiled_generations() {
  static const std::shared_future<std::vector<int>> known = std::async(std::launch::async, [] {
    try {
      return known_capabilities();
    } catch (const Error&) {
      return std::vector<int>{};
    }
  });
  return known;
}

}  // namespace

int current_capability() {
  int major = 0;
  int minor = 0;
  const int device = current_device();
  SPARSECAST_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  SPARSECAST_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

void load_compiler() {
  compiled_generations();
}

bool can_compile() {
  const std::vector<int>& known = compiled_generations().get();
  return std::ranges::find(known, current_capability()) != known.end();
}

CompiledKernel::CompiledKernel(const std::string& source, const char* entry, int capability)
    : entry_(entry), code_(std::async(std::launch::async, [source, capability] {
        return compile(source, capability);
      })) {}

cudaKernel_t CompiledKernel::get() {
  const std::lock_guard lock(turn_);
  if (kernel_ == nullptr) {
    const std::string& code = code_.get();
    cudaLibrary_t library = nullptr;  // kept while the program runs
    SPARSECAST_CUDA_CHECK(
        cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    SPARSECAST_CUDA_CHECK(cudaLibraryGetKernel(&kernel_, library, entry_));
  }
  return kernel_;
}

std::shared_ptr<CompiledKernel> compiled_kernel(const std::string& source, const char* entry) {
  static std::mutex turn;
  static std::map<std::pair<int, std::string>, std::shared_ptr<CompiledKernel>> all;
  const std::pair<int, std::string> key{current_capability(), source};
  const std::lock_guard lock(turn);
  std::shared_ptr<CompiledKernel>& kernel = all[key];
  if (kernel == nullptr) kernel = std::make_shared<CompiledKernel>(source, entry, key.first);
  return kernel;
}

}  // namespace sparsecast::cuda
