#include "core/cuda/device_memory.cuh"

#include <array>
#include <cstdio>

#include "core/cuda/check.cuh"
#include "core/error.hpp"

namespace sparsecast::cuda {
namespace {

constexpr std::int64_t reserve = std::int64_t{64} << 20;

std::int64_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  SPARSECAST_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

std::string gigabytes(std::int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f GB", 1e-9 * static_cast<double>(bytes));
  return text.data();
}

}  // namespace

std::int64_t usable_memory() {
  return free_memory() - reserve;
}

void require_memory_for(const std::string& what, std::int64_t bytes, int device,
                        const std::string& advice) {
  if (bytes <= usable_memory()) return;
  throw Error(what + " needs " + gigabytes(bytes + reserve) + " of GPU memory, " +
              gigabytes(free_memory()) + " are free on cuda:" + std::to_string(device) + "; " +
              advice);
}

}  // namespace sparsecast::cuda
