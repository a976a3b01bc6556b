#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"

namespace sparsecast::testing {
namespace {

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const std::vector<std::string> cube{"--unknowns", "1000000",    "--elements",      "6940000",
                                    "--layout",   "csr",        "--mean-distance", "2885",
                                    "--profile",  "nvidia-h200"};

TEST(NetworkOption, NamesTheNetworkInTextAndJson) {
  const std::vector<std::string> arguments =
      with({"predict", "--devices", "8,4096", "--network", "ndr400", "--gpus-per-node", "4"}, cube);
  const ProgramRun text = run_program(arguments);
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_NE(text.output.find("\nnetwork ndr400: "), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("4 devices a host; by data sheets\n"), std::string::npos);
  EXPECT_NE(text.errors.find("nobody has measured it with these devices"), std::string::npos);

  const ProgramRun run = run_program(with(arguments, {"--json"}));
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["network"]["name"], "ndr400");
  EXPECT_EQ(json["network"]["devices_per_host"], 4);
  EXPECT_FALSE(json["network"]["measured"].get<bool>());
  ASSERT_EQ(json["predictions"].size(), 2U);
  EXPECT_EQ(json["predictions"][1]["exchange"], "nccl");
}

TEST(NetworkOption, WithoutItThereIsNone) {
  const auto json = nlohmann::json::parse(run_program(with({"predict", "--json"}, cube)).output);
  EXPECT_TRUE(json["network"].is_null());
}

TEST(NetworkOption, AdviseSaysWhereSpeedupEndsAndWhatASolveCosts) {
  const std::vector<std::string> arguments = with(
      {"advise", "--max-devices", "4096", "--network", "ndr400", "--iterations", "1000"}, cube);
  const ProgramRun text = run_program(with(arguments, {"--wide"}));
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_NE(text.output.find("Speedup ends at "), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("GPU time"), std::string::npos) << text.output;
  const auto json = nlohmann::json::parse(run_program(with(arguments, {"--json"})).output);
  EXPECT_TRUE(json["speedup_end"].is_string());
  EXPECT_EQ(json["choices"].size(), 13U);
  for (const auto& choice : json["choices"]) {
    EXPECT_DOUBLE_EQ(choice["device_seconds"].get<double>(),
                     choice["devices"].get<double>() * choice["compared_seconds"].get<double>());
  }
}

TEST(NetworkOption, MapsTakeIt) {
  const TemporaryFolder folder;
  const ProgramRun run = run_program(
      {"map", "--profile", "nvidia-h200", "--devices", "64", "--network", "hdr200", "--json"});
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(nlohmann::json::parse(run.output)["network"]["name"], "hdr200");
}

TEST(NetworkOption, WrongUseIsOneLine) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& text) {
    const ProgramRun run = run_program(arguments);
    EXPECT_NE(run.exit_status, 0);
    EXPECT_NE(run.errors.find(text), std::string::npos) << run.errors;
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
  };
  refused(with({"predict", "--gpus-per-node", "8"}, cube), "--gpus-per-node: goes with --network");
  refused(with({"predict", "--network", "ndr400", "--gpus-per-node", "0"}, cube),
          "--gpus-per-node: expected 1 to ");
  refused(with({"predict", "--network", "pigeons"}, cube), "no network 'pigeons'; expected ");
  refused({"predict", "--unknowns", "1000", "--elements", "5000", "--layout", "csr", "--profile",
           "gtx280", "--network", "ndr400"},
          "--network: of the traffic model; profile gtx280 is priced by model paper");
  refused(with({"predict", "--network", "nowhere/x.network.json"}, cube), "nowhere/x.network.json");
  // MPI between CPUs is in none of the networks that ship.
  refused({"predict", "--unknowns", "100000", "--elements", "500000", "--layout", "csr",
           "--profile", "amd-epyc-zen4-2cores", "--network", "ndr400", "--devices", "2"},
          "network 'ndr400' does not know mpi");
}

}  // namespace
}  // namespace sparsecast::testing
