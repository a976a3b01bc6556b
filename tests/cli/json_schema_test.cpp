#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/json_schema.hpp"
#include "cli/run_program.hpp"
#include "cli/samples_of_a_law.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

JsonSchema schema_of(const std::string& command) {
  return JsonSchema(
      Json::parse(read_file(SPARSECAST_SOURCE_DIR "/docs/schema/" + command + ".json")));
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// What --json prints is what docs/schema says.
class JsonOutput : public ::testing::Test {
 protected:
  JsonOutput() {
    write_matrix_market(file("grid.mtx"), laplacian(5, 20, 20).view(), {.symmetric = true});
    CsrMatrix<double> general = laplacian(5, 12, 12);
    general.values[1] *= 0.5;
    write_matrix_market(file("general.mtx"), general.view(), {});
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  /// Returns what was printed.
  Json expect_as_described(Arguments arguments, int status = 0) const {
    const std::string command = arguments.front();
    arguments.emplace_back("--json");
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, status) << result.errors;
    const Json json = Json::parse(result.output);
    const auto violations = schema_of(command).violations(json);
    EXPECT_TRUE(violations.empty()) << command << ":\n" << lines_of(violations);
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["command"], command);
    EXPECT_EQ("sparsecast " + json["sparsecast"].get<std::string>(),
              run_program({"--version"}).output.substr(0, 16));
    return json;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(JsonOutput, OfPredictIsAsDescribed) {
  const Json json = expect_as_described({"predict", file("grid.mtx"), "--profile", "nvidia-h200",
                                         "--profile", "nvidia-h100", "--devices", "1,2"});
  EXPECT_EQ(json["matrix"], file("grid.mtx"));
  EXPECT_EQ(json["profiles"][1]["device"], "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(json["curve"], "average");
  expect_as_described({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--explain"});
  expect_as_described({"predict", file("general.mtx"), "--profile", "nvidia-h200", "--solver",
                       "gmres,bicgstab", "--rtol", "1e-4"});
  const Json numbers =
      expect_as_described({"predict", "--unknowns", "72000", "--elements", "39336485", "--block",
                           "4", "--profile", "gtx280", "--devices", "1,2", "--iterations", "10"});
  EXPECT_TRUE(numbers["matrix"].is_null());
  EXPECT_EQ(numbers["elements"], 39336485);
}

TEST_F(JsonOutput, OfAdviseIsAsDescribed) {
  expect_as_described({"advise", file("grid.mtx"), "--profile", "nvidia-h200", "--profile",
                       "amd-epyc-zen4-2cores"});
  expect_as_described({"advise", file("grid.mtx"), "--profile", "nvidia-h200", "--rtol", "1e-4"});
  expect_as_described({"advise", "--unknowns", "72000", "--elements", "39336485", "--block", "4",
                       "--profile", "gtx280", "--max-devices", "4"});
}

TEST_F(JsonOutput, OfMapIsAsDescribed) {
  write_file(file("points.csv"), "name,unknowns,elements\nsmall,10000,50000\n");
  const Json json = expect_as_described(
      {"map", "--profile", "gtx280", "--points", file("points.csv"), "--out", file("map.json")});
  EXPECT_EQ(json["device"], "NVIDIA GTX280");
  EXPECT_EQ(json["curve"], "average");
  EXPECT_EQ(Json::parse(read_file(file("map.json"))), json);
  EXPECT_TRUE(expect_as_described({"map", "--profile", "nvidia-h200"})["curve"].is_null());
  expect_as_described({"map", "--profile", "gtx280", "--quantity", "effective", "--density", "0.5",
                       "--devices", "1"});
  expect_as_described({"map", file("grid.mtx"), "--profile", "nvidia-h200", "--profile",
                       "nvidia-h100", "--model", "paper", "--precision", "f64", "--layout", "csr"});
}

TEST_F(JsonOutput, OfInspectIsAsDescribed) {
  expect_as_described({"inspect", file("grid.mtx")});
  expect_as_described({"inspect", file("general.mtx"), "--devices", "2", "--renumber", "rcm"});
}

TEST_F(JsonOutput, OfSolveIsAsDescribed) {
  const Json json = expect_as_described({"solve", file("grid.mtx")});
  for (const char* norm : {"preconditioned_norm", "first_preconditioned_norm"}) {
    EXPECT_TRUE(json.at(norm).is_null()) << json;  // of another rule, so not known
  }
  EXPECT_EQ(json["matrix"], file("grid.mtx"));
  expect_as_described({"solve", file("general.mtx"), "--solver", "gmres", "--iterations", "5"});
  expect_as_described({"solve", file("general.mtx"), "--count", "--solver", "all"});
}

TEST_F(JsonOutput, OfBenchIsAsDescribed) {
  expect_as_described({"bench", "spmv", file("grid.mtx"), "--layout", "csr,bcsr2"});
  expect_as_described({"bench", "cg", file("grid.mtx"), "--layout", "csr"});
  write_file(file("mappings.csv"),
             "device,matrix,unknowns,nonzeros,precision,kernel,block_size,mapping,storage,"
             "row_order,threads_per_block,blocks_at_once,block_elements,stored_elements,bytes,"
             "cache,seconds,relative_spread\n"
             "a GPU,grid,100,460,f32,paper,2,warp,plain,natural,256,1,720,720,5000,hot,4e-06,"
             "0.01\n");
  expect_as_described({"bench", "spmv", "--from", file("mappings.csv")});
  expect_as_described(
      {"bench", "formats", "--set", "structured", "--scale", "0.001", "--layout", "csr,dia"});
  expect_as_described({"bench", "blocks", "--scale", "0.001", "--layout", "csr"});
  expect_as_described({"bench", "fusion", "--size", "100", "--basis", "2"});
}

TEST_F(JsonOutput, OfValidateIsAsDescribed) {
  const Json json =
      expect_as_described({"validate", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores",
                           "--layout", "csr", "--seconds-per-case", "0.005"});
  EXPECT_EQ(json["about"]["profile"], "amd-epyc-zen4-2cores");
  EXPECT_FALSE(json["about"].contains("curve"));  // the traffic model has none
  const std::string raw = SPARSECAST_SOURCE_DIR "/docs/validation/nvidia-h200-x2.csv.gz";
  expect_as_described({"validate", "--from", raw});
  const Json forecast =
      expect_as_described({"validate", "--from", raw, "--profile", "nvidia-h200"});
  const Json& regrets = forecast["regret"];
  EXPECT_TRUE(std::ranges::any_of(regrets, [](const Json& regret) {
    return regret["devices"].is_null();
  })) << regrets;
}

TEST_F(JsonOutput, OfCalibrateIsAsDescribed) {
  expect_as_described({"calibrate", "--estimate", "--sms", "132", "--threads-per-sm", "2048",
                       "--bandwidth", "4800", "--out", file("guess.json")});
  expect_as_described(
      {"calibrate", "--like", "nvidia-h200", "--gpu", "h100-pcie", "--out", file("like.json")});
  write_samples(file("a.samples.csv"), samples_of_a_law());
  expect_as_described(
      {"calibrate", "--refit", file("a.samples.csv"), "--out", file("fitted.json")});
  expect_as_described({"calibrate", "--compare", "nvidia-h200", "nvidia-h100"}, 1);
}

TEST_F(JsonOutput, OfDevicesIsAsDescribed) {
  expect_as_described({"devices"});
  expect_as_described({"devices", "--sheets"});
}

TEST_F(JsonOutput, ThatIsBrokenDoesNotPass) {
  const JsonSchema schema = schema_of("predict");
  const Json good = expect_as_described({"predict", file("grid.mtx"), "--profile", "nvidia-h200"});
  const auto broken = [&](const char* place, const auto& change) {
    Json json = good;
    change(json.at(Json::json_pointer(place)));
    return lines_of(schema.violations(json));
  };
  EXPECT_EQ(broken("", [](Json& json) { json.erase("curve"); }), "$: lacks curve\n");
  EXPECT_EQ(broken("", [](Json& json) { json["new"] = 1; }), "$.new: is not in the schema\n");
  EXPECT_EQ(broken("/schema", [](Json& json) { json = 2; }), "$.schema: is not 1\n");
  EXPECT_EQ(broken("/predictions/0", [](Json& json) { json.erase("layout"); }),
            "$.predictions[0]: lacks layout\n");
  EXPECT_EQ(broken("/predictions/0/layout", [](Json& json) { json = 7; }),
            "$.predictions[0].layout: is no \"string\": 7\n");
  EXPECT_NE(broken("/predictions/0/interval_seconds", [](Json& json) { json[0] = "0.1"; }), "");
  EXPECT_NE(broken("/precision", [](Json& json) { json = "f16"; }), "");
}

TEST(JsonSchemas, AreThereForEveryCommandThatPrintsJson) {
  std::set<std::string> described;
  for (const auto& entry :
       std::filesystem::directory_iterator(SPARSECAST_SOURCE_DIR "/docs/schema")) {
    described.insert(entry.path().stem().string());
  }
  std::set<std::string> printing;
  for (const char* command : {"devices", "inspect", "generate", "calibrate", "predict", "map",
                              "advise", "report", "solve", "bench", "validate"}) {
    const std::string help = run_program({command, "--help"}).output;
    if (help.find("\n  --json ") != std::string::npos) printing.insert(command);
  }
  EXPECT_EQ(described, printing);
}

}  // namespace
}  // namespace sparsecast::testing
