#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/gpu_devices.hpp"

namespace sparsecast {

/// Tests that need two GPUs are skipped where there are fewer.
class MultiGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const GpuList list = list_gpus();
    if (list.devices.size() < 2) {
      GTEST_SKIP() << "needs 2 GPUs; there are " << list.devices.size();
    }
  }
};

/// The GPUs that these tests run on.
inline std::vector<int> gpus() {
  return {0, 1};
}

/// Bytes on each GPU.
inline std::vector<std::int64_t> free_memory() {
  std::vector<std::int64_t> bytes;
  for (const GpuDevice& device : list_gpus().devices) bytes.push_back(device.free_bytes);
  return bytes;
}

}  // namespace sparsecast
