#include "core/cuda/device_memory.cuh"

#include <array>
#include <cstdio>

#include "core/cuda/check.cuh"
#include "core/error.hpp"

namespace sparsecast::cuda {
namespace {

std::string gigabytes(std::int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f GB", 1e-9 * static_cast<double>(bytes));
  return text.data();
}

}  // namespace

void require_free_memory(std::int64_t bytes, int device, const std::string& what,
                         const std::string& advice) {
  constexpr std::int64_t reserve = std::int64_t{64} << 20;
  std::size_t free = 0;
  std::size_t total = 0;
  SPARSECAST_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (bytes + reserve <= static_cast<std::int64_t>(free)) return;
  throw Error(what + " needs " + gigabytes(bytes + reserve) + " of GPU memory, " +
              gigabytes(static_cast<std::int64_t>(free)) +
              " are free on cuda:" + std::to_string(device) + "; " + advice);
}

}  // namespace sparsecast::cuda
