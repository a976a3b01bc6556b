#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/cuda/device/gpu_devices.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {

/// Tests that need two GPUs are skipped where there are fewer, or where several may not run.
class MultiGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!several_devices_may_run()) GTEST_SKIP() << "several devices in one process";
    const GpuList list = list_gpus();
    if (list.devices.size() < 2) {
      GTEST_SKIP() << "needs 2 GPUs; there are " << list.devices.size();
    }
  }
};

/// The first so many GPUs.
inline std::vector<GpuPart> first_gpus(int count) {
  std::vector<GpuPart> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

/// The GPUs that these tests run on: all there are, at most four.
inline std::vector<GpuPart> gpus() {
  return first_gpus(std::min(4, static_cast<int>(list_gpus().devices.size())));
}

/// For tests of what depends on their number: the first two, and so on to all of `gpus`; in brief
/// all of them only.
inline std::vector<std::vector<GpuPart>> gpu_groups() {
  std::vector<std::vector<GpuPart>> groups;
  for (auto count = static_cast<int>(full_or_brief(2, std::ssize(gpus())));
       count <= std::ssize(gpus()); ++count)
    groups.push_back(first_gpus(count));
  return groups;
}

/// Bytes on each GPU.
inline std::vector<std::int64_t> free_memory() {
  std::vector<std::int64_t> bytes;
  for (const GpuDevice& device : list_gpus().devices) bytes.push_back(device.free_bytes);
  return bytes;
}

}  // namespace sparsecast
