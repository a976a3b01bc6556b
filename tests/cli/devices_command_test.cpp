#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/gpus_of_tested_program.hpp"
#include "cli/run_program.hpp"
#include "core/cpu/machine.hpp"

namespace sparsecast::testing {
namespace {

TEST(DevicesCommand, NamesTheProcessorAndTheGpusOrWhyThereAreNone) {
  const ProgramRun result = run_program({"devices"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(describe_cpu().name), std::string::npos);
  const GpuList gpus = gpus_of_tested_program();
  if (gpus.devices.empty()) {
    EXPECT_NE(result.output.find("no GPUs: " + gpus.absence + "\n"), std::string::npos);
  }
  for (const GpuDevice& gpu : gpus.devices) {
    EXPECT_NE(result.output.find(gpu.name), std::string::npos);
    EXPECT_NE(result.output.find(gpu.pci_id), std::string::npos);
  }
  EXPECT_EQ(result.output.find("peer access") != std::string::npos, gpus.devices.size() > 1);
  EXPECT_EQ(result.errors, "");
}

TEST(DevicesCommand, PrintsNumbersAsJson) {
  const ProgramRun result = run_program({"devices", "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto devices = nlohmann::json::parse(result.output)["devices"];
  const GpuList gpus = gpus_of_tested_program();
  ASSERT_EQ(devices.size(), 1 + gpus.devices.size());
  EXPECT_EQ(devices[0]["device"], "cpu");
  EXPECT_EQ(devices[0]["threads"], describe_cpu().threads);
  EXPECT_TRUE(devices[0]["memory_bytes"].is_number_integer());
  for (std::size_t i = 0; i < gpus.devices.size(); ++i) {
    EXPECT_EQ(devices[i + 1]["device"], "cuda:" + std::to_string(i));
    EXPECT_EQ(devices[i + 1]["multiprocessors"], gpus.devices[i].multiprocessors);
  }
}

}  // namespace
}  // namespace sparsecast::testing
