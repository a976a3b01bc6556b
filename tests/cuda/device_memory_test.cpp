#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/refusal.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

using CudaDeviceMemoryTest = GpuTest;

TEST_F(CudaDeviceMemoryTest, CountsWhatThePoolKeepsAsFree) {
  constexpr std::int64_t size = std::int64_t{200} << 20;
  {
    const cuda::DeviceArray<char> first(size, cuda::MemoryKind::pooled);
  }  // the pool's own costs are paid
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  const std::int64_t before = cuda::usable_memory();
  {
    const cuda::DeviceArray<char> array(size, cuda::MemoryKind::pooled);
    EXPECT_LE(cuda::usable_memory(), before - size);
  }
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_GE(cuda::usable_memory(), before - size / 2);  // a sanitizer takes some of it
}

TEST_F(CudaDeviceMemoryTest, GivesPinnedPiecesAgainButNoneTwice) {
  std::set<const char*> first;
  {
    std::vector<cuda::PinnedArray<char>> arrays;
    for (int i = 0; i < 100; ++i) {
      arrays.emplace_back(1000);
      std::fill_n(arrays.back().data(), 1000, static_cast<char>(i));
      EXPECT_TRUE(first.insert(arrays.back().data()).second);
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(arrays[static_cast<std::size_t>(i)].data()[999], i);
  }
  const cuda::PinnedArray<char> again(8);
  EXPECT_TRUE(first.contains(again.data()));
}

TEST_F(CudaDeviceMemoryTest, SaysWhatIsNeededAndFreeWhenItDoesNotFit) {
  const std::string error = refusal_of([] {
    cuda::require_memory_for("a test", cuda::usable_memory() + 10'000'000, 0, "need less");
  });
  EXPECT_TRUE(error.starts_with("a test needs ")) << error;
  EXPECT_NE(error.find(" GB are free on cuda:0; need less"), std::string::npos) << error;
}

TEST_F(CudaDeviceMemoryTest, RefusesVectorsThatDoNotFitBeforeAllocatingThem) {
  CudaBackend backend(0);
  // Loads the code of the kernels, which takes memory, too.
  backend.prepare_vectors_f32(load_schedule(1, false), 1000);
  const std::int64_t before = cuda::usable_memory();
  const std::string error = refusal_of(
      [&] { backend.prepare_vectors_f32(load_schedule(1, false), std::int64_t{1} << 40); });
  EXPECT_NE(error.find("of GPU memory"), std::string::npos) << error;
  EXPECT_EQ(cuda::usable_memory(), before);
}

}  // namespace
}  // namespace sparsecast
