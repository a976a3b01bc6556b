#include "core/cuda/device/gpu_json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sparsecast {
namespace {

TEST(GpuJson, HoldsWhatTheDriverSays) {
  GpuDevice gpu;
  gpu.index = 1;
  gpu.name = "NVIDIA H200";
  gpu.compute_capability_major = 9;
  gpu.multiprocessors = 132;
  gpu.threads_per_multiprocessor = 2048;
  gpu.l2_bytes = 60;
  gpu.memory_bytes = 141;
  gpu.free_bytes = 140;
  gpu.memory_bus_bits = 6144;
  gpu.core_clock_hertz = 1.98e9;
  gpu.memory_clock_hertz = 3.201e9;
  gpu.ecc = true;
  gpu.pci_id = "0000:1b:00.0";
  gpu.peers = {0};
  const GpuList gpus{{gpu}, "13.0", "580.95.05", "13.0", "", ""};
  const auto expected = [](const std::string& management) {
    return R"({"device":"cuda:1","name":"NVIDIA H200","compute_capability":"9.0",)"
           R"("multiprocessors":132,"threads_per_multiprocessor":2048,"l2_bytes":60,)"
           R"("memory_bytes":141,"available_bytes":140,"memory_bus_bits":6144,)"
           R"("core_clock_hertz":1980000000.0,"memory_clock_hertz":3201000000.0,"ecc":true,)"
           R"("pci_id":"0000:1b:00.0","peers":[0],"management":)" +
           management +
           R"(,"driver":"580.95.05","driver_cuda_version":"13.0","runtime_cuda_version":"13.0"})";
  };
  EXPECT_EQ(to_json(gpu, gpus).text(), expected("null"));
  GpuManagement& management = gpu.management.emplace();
  management.core_clock_hertz = 345e6;
  management.multi_instance = false;
  management.other_processes = {{4711, 12}};
  EXPECT_EQ(to_json(gpu, gpus).text(),
            expected(R"({"core_clock_hertz":345000000.0,"memory_clock_hertz":0.0,)"
                     R"("most_core_clock_hertz":0.0,"most_memory_clock_hertz":0.0,)"
                     R"("multi_instance":false,"nvlink_peers":[],)"
                     R"("other_processes":[{"id":4711,"memory_bytes":12}]})"));
}

}  // namespace
}  // namespace sparsecast
