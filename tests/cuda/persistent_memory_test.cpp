#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cuda/device/check.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/persistent/whole_schedule.cuh"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

using PersistentMemoryTest = GpuTest;

TEST_F(PersistentMemoryTest, WhatThePersistentKernelStoresIsCheckedBeforeItIsAllocated) {
  if (full_or_brief(0, 1) == 1) GTEST_SKIP() << "takes all memory, which a sanitizer shadows";
  const auto matrix = laplacian(27, 32, 32, 32);
  const CsrView<double> view = matrix.view();
  const Schedule schedule = fused_cg_schedule();
  const Layout layout;
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = shape.block_rows = static_cast<double>(matrix.rows);
  shape.elements = shape.blocks = static_cast<double>(matrix.nonzeros());
  std::vector<double*> vectors(schedule.vectors.size(), nullptr);
  const auto make = [&](LaunchMode mode) {
    CudaPolicy policy;
    policy.launch_mode = mode;
    return cuda::make_whole_schedule_kernel<double>(
        {schedule, view, layout, shape, vectors, cuda::RunMemory{}}, policy);
  };
  EXPECT_NE(make(LaunchMode::automatic), nullptr);
  EXPECT_GT(make(LaunchMode::persistent)->bytes(), matrix.nonzeros() * 8);

  // What was freed before, here and by other tests, may come back a little later.
  constexpr std::int64_t left = 1 << 20;
  std::vector<cuda::DeviceArray<char>> taken;
  const auto surplus = [] {
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    return cuda::usable_memory() - left;
  };
  while (surplus() > left) taken.emplace_back(surplus());
  EXPECT_EQ(make(LaunchMode::automatic), nullptr);
  const std::string refusal = refusal_of([&] { make(LaunchMode::persistent); });
  EXPECT_NE(refusal.find("persistent kernel"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("GB of GPU memory"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("are free on cuda:0"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("launch mode graph"), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
}

}  // namespace
}  // namespace sparsecast
