#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "calibrate/links/link_sample.hpp"
#include "cli/gpus_of_tested_program.hpp"
#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "mpi_launcher.hpp"

namespace sparsecast::testing {
namespace {

using Words = std::vector<std::string>;

/// Exit status and the one line of a run that is refused.
void expect_refused(const ProgramRun& run, int status, const std::string& part) {
  EXPECT_EQ(run.exit_status, status) << run.errors;
  EXPECT_EQ(run.output, "");
  std::istringstream in(run.errors);
  std::vector<std::string> own;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("sparsecast")) own.push_back(line);
  }
  ASSERT_EQ(own.size(), 1u) << run.errors;
  EXPECT_NE(own[0].find(part), std::string::npos) << own[0];
}

/// The program in one process, with a folder for its files.
class CalibrateLinks : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  static ProgramRun alone(const Words& more) { return run_program(with_links(more)); }
  static ProgramRun on_ranks(int count, const Words& more) {
    return run_on_ranks(count, tested_program(), with_links(more));
  }

  /// Samples of two ranks, whose messages take 1 us and 0.1 ns a byte.
  void write_samples(const std::string& name) const {
    LinkSampleFile samples;
    samples.description = "made; 2 ranks on 1 host";
    for (double bytes = 8; bytes < 1e8; bytes *= 4) {
      LinkSample each;
      each.neighbours = 1;
      each.near_neighbours = 1;
      each.bytes = bytes;
      each.seconds = 1e-6 + 1e-10 * bytes;
      samples.samples.push_back(each);
      each.kind = LinkSample::Kind::exchange;
      samples.samples.push_back(each);
    }
    LinkSample sum;
    sum.kind = LinkSample::Kind::sum;
    sum.bytes = 16;
    sum.seconds = 2e-6;
    samples.samples.push_back(sum);
    write_file(file(name), text_for(file(name), link_samples_to_csv(samples)));
  }

 private:
  static Words with_links(const Words& more) {
    Words all{"calibrate", "--links"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  TemporaryFolder folder_;
};

/// And on ranks.
class CalibrateLinksOnRanks : public CalibrateLinks {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_ranks(); !why.empty()) GTEST_SKIP() << why;
    if (!tested_program_has("MPI")) GTEST_SKIP() << "the tested program has no MPI";
  }
};

TEST_F(CalibrateLinks, SaysHowToStartItOnRanks) {
  expect_refused(alone({"--out", file("a.network.json")}), 2,
                 "mpirun -n 2 sparsecast calibrate --links");
}

TEST_F(CalibrateLinks, RefusesWhatDoesNotApplyInOneLine) {
  const std::string out = file("a.network.json");
  expect_refused(alone({}), 2, "--links needs --out NAME.network.json");
  expect_refused(alone({"--out", file("a.json")}), 2, "expected a name that ends in .network.json");
  expect_refused(alone({"--out", out, "--quick"}), 2, "--quick means nothing with --links");
  expect_refused(alone({"--out", out, "--seed", "2"}), 2, "--seed means nothing with --links");
  expect_refused(alone({"--out", out, "--full"}), 2, "--full means nothing with --links");
  expect_refused(alone({"--out", out, "--like", "nvidia-h200"}), 2,
                 "--like and --links exclude each other");
  expect_refused(alone({"--out", out, "--adapters", "0"}), 2, "--adapters 0: expected 1 to");
  expect_refused(alone({"--out", out, "--device", "cpu:0,cpu:1"}), 2, "--device cpu:0,cpu:1");
  expect_refused(run_program({"calibrate", "--adapters", "2"}), 2,
                 "--adapters means nothing without --links");
}

TEST_F(CalibrateLinks, FitsSamplesAgain) {
  write_samples("a.links.csv.gz");
  const Words refit{"--refit", file("a.links.csv.gz"), "--out", file("a.network.json")};
  Words json = refit;
  json.insert(json.end(), {"--json", "--adapters", "2"});
  const ProgramRun run = alone(json);
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto printed = nlohmann::json::parse(run.output);
  EXPECT_EQ(printed["network"], file("a.network.json"));
  EXPECT_EQ(printed["costs"], nlohmann::json::parse(read_file(file("a.network.json"))));
  EXPECT_EQ(printed["costs"]["adapters_per_host"], 2);
  // The network of these samples may be written again, another one not.
  const ProgramRun again = alone(refit);
  ASSERT_EQ(again.exit_status, 0) << again.errors;
  EXPECT_NE(again.output.find("rate, same host"), std::string::npos) << again.output;
  std::istringstream lines(again.output);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), line.starts_with("network: ") ? line.size() : 100u) << line;
  }
  write_file(file("b.network.json"), "another one");
  expect_refused(alone({"--refit", file("a.links.csv.gz"), "--out", file("b.network.json")}), 2,
                 "b.network.json: is there already");
}

TEST_F(CalibrateLinks, RefusesDamagedSamples) {
  write_file(file("a.links.csv"), "kind,transport\n");
  expect_refused(alone({"--refit", file("a.links.csv"), "--out", file("a.network.json")}), 1,
                 "a.links.csv:1: no line '# sparsecast links, schema: 1'");
}

TEST_F(CalibrateLinksOnRanks, WritesANetworkAndItsSamples) {
  const ProgramRun run = on_ranks(2, {"--out", file("a.network.json"), "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto printed = nlohmann::json::parse(run.output);
  EXPECT_EQ(printed["sample_file"], file("a.links.csv.gz"));
  const auto& costs = printed["costs"];
  EXPECT_EQ(costs["ranks_per_host"], 2);
  EXPECT_EQ(costs["transports"].size(), 1u);
  EXPECT_EQ(costs["transports"]["mpi"]["links"].size(), 1u);
  const LinkSampleFile samples = read_link_samples(file("a.links.csv.gz"));
  EXPECT_EQ(samples.environment.at("ranks"), "2");
  EXPECT_FALSE(samples.environment.at("mpi").empty());
  for (const auto kind : {LinkSample::Kind::message, LinkSample::Kind::exchange,
                          LinkSample::Kind::sum, LinkSample::Kind::work}) {
    EXPECT_GT(std::ranges::count(samples.samples, kind, &LinkSample::kind), 0);
  }
  const Words refit{"--refit", file("a.links.csv.gz"), "--out", file("a.network.json"), "--json"};
  const ProgramRun again = alone(refit);
  ASSERT_EQ(again.exit_status, 0) << again.errors;
  EXPECT_EQ(nlohmann::json::parse(again.output)["costs"], costs);
  expect_refused(on_ranks(2, {"--out", file("a.network.json")}), 2, "is there already");
}

TEST_F(CalibrateLinksOnRanks, RefusesWhatIsForOneProcess) {
  write_samples("a.links.csv");
  expect_refused(on_ranks(2, {"--refit", file("a.links.csv"), "--out", file("a.network.json")}), 2,
                 "for one process");
  expect_refused(run_on_ranks(2, tested_program(), {"calibrate", "--quick"}), 2, "for one process");
  expect_refused(on_ranks(2, {"--out", file("none/a.network.json")}), 2, "none/a.network.json");
}

class CalibrateLinksOnRanksTwoGpus : public CalibrateLinksOnRanks {
 protected:
  void SetUp() override {
    const GpuList gpus = gpus_of_tested_program();
    if (gpus.devices.size() < 2) GTEST_SKIP() << "needs 2 GPUs; there are " << gpus.devices.size();
    CalibrateLinksOnRanks::SetUp();
  }
};

TEST_F(CalibrateLinksOnRanksTwoGpus, MeasuresThroughHostsAndByNcclWhereItIs) {
  const ProgramRun run =
      on_ranks(2, {"--out", file("a.network.json"), "--device", "cuda:0,cuda:1", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const bool no_nccl = run.errors.find("nccl is left out") != std::string::npos;
  const auto transports = nlohmann::json::parse(run.output)["costs"]["transports"];
  EXPECT_TRUE(transports.contains("staged"));
  EXPECT_EQ(transports.contains("nccl"), !no_nccl);
  EXPECT_FALSE(transports.contains("mpi"));
  const ProgramRun solve = run_on_ranks(2, tested_program(),
                                        {"solve", "--generate", "laplacian --size 20", "--device",
                                         "cuda:0,cuda:1", "--exchange", "gpu-aware"});
  EXPECT_EQ(transports.contains("gpu-aware"), solve.exit_status == 0) << solve.errors;
}

}  // namespace
}  // namespace sparsecast::testing
