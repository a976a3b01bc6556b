#include "core/cuda/device/device_memory.cuh"

#include <array>
#include <cstdio>
#include <map>
#include <mutex>

#include "core/base/error.hpp"
#include "core/cuda/device/check.cuh"

namespace sparsecast::cuda {
namespace {

constexpr std::int64_t reserve = std::int64_t{64} << 20;

/// Of the device's memory a pool keeps at most one part in so many when all arrays are freed.
constexpr std::uint64_t kept_part = 64;

cudaMemPool_t make_pool(int device) {
  int supported = 0;
  SPARSECAST_CUDA_CHECK(
      cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  if (supported == 0) return nullptr;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  cudaMemPool_t pool = nullptr;
  SPARSECAST_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  std::size_t free = 0;
  std::size_t total = 0;
  SPARSECAST_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  std::uint64_t kept = total / kept_part;
  SPARSECAST_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
  return pool;
}

/// The current device's, which lives as long as the process; null if it has none.
cudaMemPool_t current_pool() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  SPARSECAST_CUDA_CHECK(cudaGetDevice(&device));
  const std::scoped_lock lock(mutex);
  const auto [place, added] = pools.try_emplace(device, nullptr);
  if (added) place->second = make_pool(device);
  return place->second;
}

/// Calls `allocate`, and once more without what the pool keeps if memory runs out.
template <class Allocate>
void* allocate_or_trim(const Allocate& allocate) {
  void* memory = nullptr;
  if (allocate(&memory) == cudaSuccess) return memory;
  cudaGetLastError();
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  if (cudaMemPool_t pool = current_pool()) SPARSECAST_CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
  SPARSECAST_CUDA_CHECK(allocate(&memory));
  return memory;
}

std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  SPARSECAST_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (cudaMemPool_t pool = current_pool()) {
    SPARSECAST_CUDA_CHECK(
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    SPARSECAST_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  }
  return static_cast<std::int64_t>(free + reserved - used);
}

std::string gigabytes(std::int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f GB", 1e-9 * static_cast<double>(bytes));
  return text.data();
}

}  // namespace

void* allocate_memory(std::size_t bytes, MemoryKind kind) {
  cudaMemPool_t pool = kind == MemoryKind::pooled ? current_pool() : nullptr;
  return allocate_or_trim([&](void** memory) {
    return pool != nullptr ? cudaMallocFromPoolAsync(memory, bytes, pool, nullptr)
                           : cudaMalloc(memory, bytes);
  });
}

void free_memory(void* memory, MemoryKind kind) noexcept {
  if (kind == MemoryKind::pooled && cudaFreeAsync(memory, nullptr) == cudaSuccess) return;
  if (kind == MemoryKind::pooled) cudaGetLastError();
  cudaFree(memory);  // also of a device without pools
}

std::int64_t usable_memory() {
  return free_bytes() - reserve;
}

void require_memory_for(const std::string& what, std::int64_t bytes, int device,
                        const std::string& advice) {
  if (bytes <= usable_memory()) return;
  throw Error(what + " needs " + gigabytes(bytes + reserve) + " of GPU memory, " +
              gigabytes(free_bytes()) + " are free on cuda:" + std::to_string(device) + "; " +
              advice);
}

}  // namespace sparsecast::cuda
