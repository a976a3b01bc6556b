#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/gpus_of_tested_program.hpp"
#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::testing {
namespace {

/// A grid's Laplacian, grid.mtx.
class SolveOnGpus : public ::testing::Test {
 protected:
  SolveOnGpus() { write_matrix_market(grid(), laplacian(5, 40, 40).view(), {.symmetric = true}); }
  std::string grid() const { return (folder_.path() / "grid.mtx").string(); }
  ProgramRun solve(const std::string& device, const std::vector<std::string>& options) const {
    std::vector<std::string> arguments{"solve", grid(), "--device", device};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_program(arguments);
  }
  /// Refused with this exit status in one line that says so.
  static void expect_refusal(const ProgramRun& result, int exit_status, const std::string& why) {
    EXPECT_EQ(result.exit_status, exit_status);
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(SolveOnGpus, RefusesDevicesThatAreNotThere) {
  expect_refusal(solve("cuda:99", {}), 1, "no device 'cuda:99'");
  expect_refusal(solve("cuda:0,cuda:99", {}), 1, "no device 'cuda:");
  expect_refusal(solve("cuda:0,gpu:1", {}), 1, "no device 'gpu:1'");
  expect_refusal(solve("cuda:0,cpu:1", {}), 1, "no device 'cpu:1'");
  expect_refusal(solve("cuda:0,", {}), 1, "no device ''");
}

TEST_F(SolveOnGpus, RefusesADeviceThatIsNamedTwice) {
  expect_refusal(solve("cuda:0,cuda:0", {}), 1, "device 'cuda:0' is named twice");
}

TEST_F(SolveOnGpus, RefusesAnExchangeThatThereIsNot) {
  expect_refusal(solve("cuda:0,cuda:1", {"--exchange", "post"}), 2,
                 "--exchange: unknown exchange 'post'; expected one of automatic, staged, peer, "
                 "halo, nccl, gpu-aware");
}

class SolveOnTwoGpus : public SolveOnGpus {
 protected:
  void SetUp() override {
    if (gpus_of_tested_program().devices.size() < 2) GTEST_SKIP() << "there are not two GPUs";
  }
};

TEST_F(SolveOnTwoGpus, TakesTheIterationsOfOneInEveryLaunchModeAndExchange) {
  const auto iterations = [&](const std::string& device, const std::vector<std::string>& options) {
    std::vector<std::string> words{"--json"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramRun result = solve(device, words);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    if (result.exit_status != 0) return -1;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json["bytes_per_device"].size(), device == "cuda:0" ? 1u : 2u);
    return json["iterations"].get<int>();
  };
  const int on_one = iterations("cuda:0", {});
  for (const char* exchange : {"automatic", "staged", "peer", "halo"}) {
    EXPECT_NEAR(iterations("cuda:0,cuda:1", {"--exchange", exchange}), on_one, 1) << exchange;
    EXPECT_NEAR(iterations("cuda:1,cuda:0", {"--exchange", exchange, "--launch", "plain"}), on_one,
                1)
        << exchange;
  }
  EXPECT_NEAR(iterations("cuda:0,cuda:1", {"--launch", "host"}), on_one, 1);
  EXPECT_NEAR(iterations("cuda:0,cuda:1", {"--renumber", "metis"}), on_one, 1);
}

TEST_F(SolveOnTwoGpus, SaysHowTheyExchange) {
  EXPECT_NE(solve("cuda:0,cuda:1", {"--exchange", "staged"}).output.find("exchange staged"),
            std::string::npos);
  EXPECT_NE(solve("cuda:0,cuda:1", {"--launch", "host"}).output.find("exchange staged"),
            std::string::npos);
}

TEST_F(SolveOnTwoGpus, RefusesWhatRunsOnOne) {
  const std::string two = "cuda:0,cuda:1";
  expect_refusal(solve(two, {"--exchange", "nccl"}), 1, "exchange nccl is between ranks (mpirun)");
  expect_refusal(solve(two, {"--exchange", "gpu-aware"}), 1,
                 "exchange gpu-aware is between ranks (mpirun)");
  expect_refusal(solve(two, {"--launch", "persistent"}), 1,
                 "launch mode persistent runs on one GPU");
  expect_refusal(solve(two, {"--launch", "host", "--exchange", "peer"}), 1,
                 "launch mode host exchanges through host memory");
  expect_refusal(run_program({"bench", "cg", grid(), "--device", two, "--schedule", "vendor"}), 2,
                 "--device cuda:0,cuda:1: expected a GPU, as in cuda:0");
}

}  // namespace
}  // namespace sparsecast::testing
