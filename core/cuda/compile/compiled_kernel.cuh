#pragma once

#include <cuda_runtime_api.h>

#include <future>
#include <memory>
#include <mutex>
#include <string>

namespace sparsecast::cuda {

/// The compute capability of the current device: 90 is 9.0.
int current_capability();

/// Begins to load NVRTC, which takes milliseconds, beside what the caller does next.
void load_compiler();

/// Whether there is an NVRTC that knows the current device.
bool can_compile();

/// A kernel that is compiled by a thread of its own.
class CompiledKernel {
 public:
  CompiledKernel(const std::string& source, const char* entry, int capability);

  /// Waits until it is there. Throws what `compile` throws.
  cudaKernel_t get();

 private:
  std::mutex turn_;
  const char* entry_;
  std::shared_future<std::string> code_;
  cudaKernel_t kernel_ = nullptr;
};

/// The kernel of a source on GPUs of the current one's generation: of all that ask for it. `entry`
/// is its name, a literal.
std::shared_ptr<CompiledKernel> compiled_kernel(const std::string& source, const char* entry);

}  // namespace sparsecast::cuda
