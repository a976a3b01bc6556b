#include "core/cuda/formats/row_order.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace sparsecast::cuda {
namespace {

/// CUB's functions say first how much memory they work with.
template <class Function>
void run_with_memory(const Function& function) {
  std::size_t bytes = 0;
  SPARSECAST_CUDA_CHECK(function(nullptr, bytes));
  DeviceArray<char> memory(static_cast<std::int64_t>(bytes), MemoryKind::pooled);
  SPARSECAST_CUDA_CHECK(function(memory.data(), bytes));
}

__global__ void __launch_bounds__(256) number(std::int32_t* numbers, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < count) numbers[i] = static_cast<std::int32_t>(i);
}

/// Keys that rise with the window, and within it as counts fall.
__global__ void __launch_bounds__(256)
    window_keys(const std::int32_t* counts, std::int64_t rows, int window, std::uint64_t* keys) {
  const std::int64_t i = std::int64_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < rows) {
    keys[i] = static_cast<std::uint64_t>(i / window) << 32 |
              (0xffffffffu - static_cast<std::uint32_t>(counts[i]));
  }
}

}  // namespace

DeviceArray<std::int32_t> order_in_windows(const DeviceArray<std::int32_t>& counts,
                                           std::int64_t rows, int window) {
  if (rows == 0) return {};
  const auto blocks = static_cast<unsigned>((rows + 255) / 256);
  DeviceArray<std::uint64_t> keys(rows, MemoryKind::pooled);
  window_keys<<<blocks, 256>>>(counts.data(), rows, window, keys.data());
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  DeviceArray<std::int32_t> natural(rows, MemoryKind::pooled);
  number<<<blocks, 256>>>(natural.data(), rows);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  DeviceArray<std::uint64_t> sorted(rows, MemoryKind::pooled);
  DeviceArray<std::int32_t> order(rows, MemoryKind::pooled);
  run_with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), sorted.data(),
                                           natural.data(), order.data(), rows);
  });
  return order;
}

DeviceArray<std::int32_t> order_by_falling_count(DeviceArray<std::int32_t>& counts,
                                                 std::int64_t rows) {
  if (rows == 0) return {};
  DeviceArray<std::int32_t> natural(rows, MemoryKind::pooled);
  number<<<static_cast<unsigned>((rows + 255) / 256), 256>>>(natural.data(), rows);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
  DeviceArray<std::int32_t> order(rows, MemoryKind::pooled);
  auto sorted = DeviceArray<std::int32_t>::zeros(counts.size(), MemoryKind::pooled);
  run_with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, counts.data(), sorted.data(),
                                                     natural.data(), order.data(), rows);
  });
  std::swap(counts, sorted);
  return order;
}

void sum_before(const DeviceArray<std::int32_t>& counts, std::int64_t* sums) {
  run_with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(memory, bytes, counts.data(), sums,
                                          ::cuda::std::plus<std::int64_t>{}, std::int64_t{0},
                                          counts.size());
  });
}

std::int64_t sum_up(DeviceArray<std::uint32_t>& counts) {
  run_with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, counts.data(), counts.data(),
                                         counts.size());
  });
  std::uint32_t sum = 0;
  SPARSECAST_CUDA_CHECK(
      cudaMemcpy(&sum, counts.data() + counts.size() - 1, sizeof(sum), cudaMemcpyDeviceToHost));
  return sum;
}

}  // namespace sparsecast::cuda
