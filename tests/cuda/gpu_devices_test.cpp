#include "core/cuda/device/gpu_devices.hpp"

#include <unistd.h>

#include <string>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/open_backend.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

TEST(GpuList, SaysWhyThereIsNoGpuExactlyWhenThereIsNone) {
  const GpuList gpus = list_gpus();
  EXPECT_EQ(gpus.devices.empty(), !gpus.absence.empty());
  EXPECT_FALSE(gpus.runtime_version.empty());
}

TEST(GpuList, IsNamedInTheRefusalOfAMissingGpu) {
  try {
    open_backend("cuda:99");
    FAIL() << "there is a cuda:99";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cuda:99"), std::string::npos) << text;
    EXPECT_NE(text.find("'cpu'"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(GpuTest, DevicesDescribeThemselves) {
  const GpuList gpus = list_gpus();
  EXPECT_FALSE(gpus.driver_version.empty());
  int index = 0;
  for (const GpuDevice& device : gpus.devices) {
    EXPECT_EQ(device.index, index++);
    EXPECT_FALSE(device.name.empty());
    EXPECT_GE(device.compute_capability_major, 5);
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GE(device.threads_per_multiprocessor, 1024);
    EXPECT_GT(device.free_bytes, 0);
    EXPECT_LE(device.free_bytes, device.memory_bytes);
    EXPECT_GT(device.l2_bytes, 0);
    EXPECT_GE(device.shared_bytes_per_block, 48 << 10);
    EXPECT_GE(device.memory_bus_bits, 32);
    EXPECT_GT(device.core_clock_hertz, 1e8);
    EXPECT_GT(device.memory_clock_hertz, 1e8);
    EXPECT_NE(device.pci_id.find(':'), std::string::npos);
  }
}

TEST_F(GpuTest, DevicesAreKnownToTheDriversManagementOrItIsSaidWhyNot) {
  const GpuList gpus = list_gpus();
  EXPECT_EQ(gpus.management_absence.find('\n'), std::string::npos) << gpus.management_absence;
  if (!gpus.management_absence.empty()) GTEST_SKIP() << gpus.management_absence;
  EXPECT_FALSE(gpus.driver_release.empty());
  for (const GpuDevice& device : gpus.devices) {
    ASSERT_TRUE(device.management) << device.pci_id;
    EXPECT_GT(device.management->core_clock_hertz, 1e7);
    EXPECT_LE(device.management->core_clock_hertz, device.management->most_core_clock_hertz);
    EXPECT_GT(device.management->memory_clock_hertz, 1e7);
    EXPECT_LE(device.management->memory_clock_hertz, device.management->most_memory_clock_hertz);
    for (const GpuProcess& process : device.management->other_processes) {
      EXPECT_NE(process.id, static_cast<std::int64_t>(getpid()));
      EXPECT_GE(process.memory_bytes, 0);
    }
  }
}

TEST_F(GpuTest, BackendIsOpenedByName) {
  const auto backend = open_backend("cuda:0");
  EXPECT_EQ(backend->device_count(), 1);
  EXPECT_NE(backend->description().find("cuda:0"), std::string::npos);
  EXPECT_THROW(open_backend("cuda:"), Error);
  EXPECT_THROW(open_backend("cuda:x"), Error);
}

}  // namespace
}  // namespace sparsecast
