#include "model/estimate/device_sheet.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/refusal.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

DescribedDevice shipped(const std::string& name) {
  const DeviceProfile profile =
      read_profile(std::string(SPARSECAST_SOURCE_DIR) + "/profiles/" + name + ".json");
  return {profile.name, profile.device, profile.memory_bytes, profile.environment};
}

TEST(MemoryPeak, IsTwoTransfersAClockOfTheBus) {
  EXPECT_NEAR(memory_peak_gbps({{"memory_clock_mhz", "3201"}, {"memory_bus_bits", "6016"}}), 4814.3,
              0.01);
}

TEST(MemoryPeak, IsUnknownWhereClockAndBusAreNotStated) {
  EXPECT_EQ(memory_peak_gbps({}), 0);
  EXPECT_EQ(memory_peak_gbps({{"memory_clock_mhz", "3201"}}), 0);
}

TEST(DeviceSheet, SaysWhatTheDataSheetSays) {
  for (const auto& [profile, name] :
       {std::pair{"nvidia-h200", "h200"}, {"nvidia-h100", "h100-sxm"}}) {
    const DataSheet sheet = device_sheet(shipped(profile));
    const DataSheet& printed = data_sheet(name);
    EXPECT_EQ(sheet.device, printed.device);
    EXPECT_TRUE(sheet.name.empty());
    EXPECT_EQ(sheet.multiprocessors, printed.multiprocessors);
    EXPECT_EQ(sheet.clock_mhz, printed.clock_mhz);
    EXPECT_NEAR(sheet.bandwidth_gbps, printed.bandwidth_gbps, 0.005 * printed.bandwidth_gbps);
    EXPECT_EQ(sheet.l2_mb, printed.l2_mb);
    EXPECT_NEAR(sheet.memory_gb, printed.memory_gb, 0.02 * printed.memory_gb);
    EXPECT_EQ(sheet.compute_capability, printed.compute_capability);
    EXPECT_EQ(sheet.shared_bytes_per_block, printed.shared_bytes_per_block);
    EXPECT_EQ(sheet.f64_per_clock, printed.f64_per_clock);
    EXPECT_EQ(sheet.link_gbps, printed.link_gbps);
  }
}

TEST(DeviceSheet, OfAnUnknownDeviceHasNoLinkAndTheArithmeticOfItsGeneration) {
  DescribedDevice gpu = shipped("nvidia-h200");
  gpu.device = "NVIDIA H999";
  EXPECT_EQ(device_sheet(gpu).link_gbps, 0);
  EXPECT_EQ(device_sheet(gpu).f64_per_clock, 64);
  gpu.environment["compute_capability"] = "99.0";
  EXPECT_EQ(device_sheet(gpu).f64_per_clock, 0);
}

TEST(DeviceSheet, NamesWhatTheEnvironmentLacks) {
  for (const char* key : {"multiprocessors", "core_clock_mhz", "memory_clock_mhz",
                          "memory_bus_bits", "l2_bytes", "compute_capability"}) {
    DescribedDevice gpu = shipped("nvidia-h200");
    gpu.environment.erase(key);
    EXPECT_EQ(refusal_of([&] { device_sheet(gpu); }),
              "'nvidia-h200' does not say '" + std::string(key) +
                  "' of its GPU; calibrate it with this version");
  }
}

}  // namespace
}  // namespace sparsecast
