#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/device_memory.cuh"
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

TEST_F(CudaDeviceMemoryTest, SaysWhatIsNeededAndFreeWhenItDoesNotFit) {
  const std::string error = refusal_of([] {
    cuda::require_memory_for("a test", cuda::usable_memory() + 10'000'000, 0, "need less");
  });
  EXPECT_TRUE(error.starts_with("a test needs ")) << error;
  EXPECT_NE(error.find(" GB are free on cuda:0; need less"), std::string::npos) << error;
}

TEST_F(CudaDeviceMemoryTest, RefusesVectorsThatDoNotFitBeforeAllocatingThem) {
  CudaBackend backend(0);
  const std::int64_t before = cuda::usable_memory();
  const std::string error = refusal_of(
      [&] { backend.prepare_vectors_f32(load_schedule(1, false), std::int64_t{1} << 40); });
  EXPECT_NE(error.find("of GPU memory"), std::string::npos) << error;
  EXPECT_EQ(cuda::usable_memory(), before);
}

}  // namespace
}  // namespace sparsecast
