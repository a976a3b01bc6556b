#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"

namespace sparsecast::testing {
namespace {

/// nd24k in 4 x 4 blocks, by its numbers (Table 5).
const std::vector<std::string> nd24k{
    "advise",    "--unknowns", "72000",   "--elements", "39336485",      "--block", "4",
    "--profile", "gtx280",     "--curve", "maximum",    "--max-devices", "2"};

TEST(AdviseCommand, RecommendsTwoGpusForNd24kOnThePapersCard) {
  const ProgramRun result = run_program(nd24k);

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("72 000 unknowns, 39 336 485 block elements of 4 x 4 blocks; f32, "
                               "maximum curves\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("\nUse 2 x gtx280, 4 x 4 blocks: 2 x gtx280 still reach an "
                               "efficiency of 0.7"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("Fewest devices that hold the matrix: 1 x gtx280.\n"),
            std::string::npos);
}

TEST(AdviseCommand, StaysOnOneGpuWhenMoreEfficiencyIsAskedFor) {
  std::vector<std::string> arguments = nd24k;
  arguments.insert(arguments.end(), {"--min-efficiency", "0.95", "--json"});

  const auto json = nlohmann::json::parse(run_program(arguments).output);

  EXPECT_EQ(json["recommended"]["gpus"], 1);
  EXPECT_EQ(json["choices"].size(), 2u);
  EXPECT_NE(json["reason"].get<std::string>().find("(asked for: 0.95)"), std::string::npos);
}

TEST(AdviseCommand, ComparesWholeSolvesWhenIterationsAreGiven) {
  std::vector<std::string> arguments = nd24k;
  arguments.insert(arguments.end(), {"--iterations", "200", "--json"});

  const auto json = nlohmann::json::parse(run_program(arguments).output);

  const auto& best = json["recommended"];
  EXPECT_FALSE(json["setup_included"]);
  EXPECT_NEAR(best["compared_seconds"].get<double>(),
              200 * best["seconds_per_iteration"].get<double>(), 1e-9);
}

TEST(AdviseCommand, ReadsAMatrixFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "tiny.mtx") << "%%MatrixMarket matrix coordinate real symmetric\n"
                                        "2 2 3\n1 1 4\n2 1 -1\n2 2 4\n";

  const ProgramRun result =
      run_program({"advise", (folder / "tiny.mtx").string(), "-p", "gtx280", "--max-devices", "2"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("2 unknowns, 4 nonzeros"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\nUse 1 x gtx280"), std::string::npos) << result.output;
}

TEST(AdviseCommand, AdvisesOnARenumberedMatrix) {
  const TemporaryFolder folder;
  const std::string grid = (folder / "grid.mtx").string();
  ASSERT_EQ(
      run_program({"generate", "laplacian", "--points", "5", "--size", "30,30", "--out", grid})
          .exit_status,
      0);
  const auto advise = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"advise", grid, "-p", "gtx280", "--renumber", "metis"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };

  const ProgramRun text = advise({"--max-devices", "2"});
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_NE(text.output.find("; renumbered: metis for each number of devices"), std::string::npos)
      << text.output;
  const auto json = nlohmann::json::parse(advise({"--max-devices", "2", "--json"}).output);
  EXPECT_EQ(json["choices"][0]["renumbering"], "none");
  EXPECT_EQ(json["choices"][1]["renumbering"], "metis");
  EXPECT_EQ(advise({"--max-devices", "1"}).exit_status, 2);
}

TEST(AdviseCommand, RefusesAnOrderOfNumbersAlone) {
  std::vector<std::string> arguments = nd24k;
  arguments.insert(arguments.end(), {"--renumber", "rcm"});

  const ProgramRun result = run_program(arguments);

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast advise: --renumber rcm orders a matrix; --unknowns and --elements are "
            "none\n");
}

TEST(AdviseCommand, RefusesAnEfficiencyAboveOne) {
  std::vector<std::string> arguments = nd24k;
  arguments.insert(arguments.end(), {"--min-efficiency", "1.5"});

  const ProgramRun result = run_program(arguments);

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "sparsecast advise: --min-efficiency: expected more than 0 and at most 1\n");
}

TEST(AdviseCommand, NeedsAProfile) {
  const ProgramRun result = run_program({"advise", "some.mtx"});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("profile is missing"), std::string::npos) << result.errors;
}

TEST(AdviseCommand, HasAnExampleThatRuns) {
  const std::string help = run_program({"advise", "--help"}).output;
  EXPECT_NE(help.find("Example:\n  sparsecast advise --unknowns 72000"), std::string::npos);

  const ProgramRun result =
      run_program({"advise", "--unknowns", "72000", "--elements", "39336485", "--block", "4",
                   "--profile", "gtx280", "--max-devices", "4"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
}

}  // namespace
}  // namespace sparsecast::testing
