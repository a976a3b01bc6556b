#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "core/machine.hpp"

namespace sparsecast::testing {
namespace {

TEST(DevicesCommand, NamesTheProcessorAndSaysThatThereAreNoGpus) {
  const ProgramRun result = run_program({"devices"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(describe_cpu().name), std::string::npos);
  EXPECT_NE(result.output.find("built without CUDA\n"), std::string::npos);
  EXPECT_EQ(result.errors, "");
}

TEST(DevicesCommand, PrintsNumbersAsJson) {
  const ProgramRun result = run_program({"devices", "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto devices = nlohmann::json::parse(result.output);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0]["device"], "cpu");
  EXPECT_EQ(devices[0]["threads"], describe_cpu().threads);
  EXPECT_TRUE(devices[0]["memory_bytes"].is_number_integer());
}

}  // namespace
}  // namespace sparsecast::testing
