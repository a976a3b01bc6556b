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
  EXPECT_NE(result.output.find("72 000 unknowns, 39 336 485 elements in layout bcsr4; f32, "
                               "maximum curves\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("\nUse 2 x gtx280, layout bcsr4: 2 x gtx280 still reach an "
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

TEST(AdviseCommand, ComparesDevicesForASolverOfOnesOwn) {
  const TemporaryFolder folder;
  const std::string matrix = (folder / "tiny.mtx").string();
  std::ofstream(matrix) << "%%MatrixMarket matrix coordinate real general\n"
                           "2 2 3\n1 1 4\n2 1 -1\n2 2 4\n";
  const std::string schedules = SPARSECAST_SOURCE_DIR "/schedules/";
  const auto advise = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"advise", matrix, "-p", "nvidia-h200"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  const auto seconds = [&](const std::string& m) {
    const ProgramRun result = advise({"-p", "amd-epyc-zen4-2cores", "--schedule",
                                      schedules + "gmres.json", "--set", "m=" + m, "--json"});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    // It is for any matrix.
    EXPECT_EQ(result.errors.find("symmetric"), std::string::npos) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    std::vector<int> devices;
    for (const auto& choice : json["choices"]) {
      EXPECT_EQ(choice["schedule"], "gmres");
      devices.push_back(choice["devices"]);
    }
    EXPECT_EQ(devices, (std::vector<int>{1, 2, 4, 1}));
    return json["choices"][0]["seconds_per_iteration"].get<double>();
  };
  EXPECT_GT(seconds("20"), 2 * seconds("5"));

  const std::string file = schedules + "bicgstab.json";
  const ProgramRun two = advise({"--schedule", file, "--max-devices", "2"});
  EXPECT_EQ(two.exit_status, 0) << two.errors;
  EXPECT_NE(two.output.find("Use 1 x nvidia-h200"), std::string::npos) << two.output;
  EXPECT_EQ(advise({"--schedule", "fused"}).errors,
            "sparsecast advise: --schedule fused: expected a file that ends with .json\n");
  EXPECT_EQ(advise({"--set", "m=5"}).exit_status, 2);
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

TEST(AdviseCommand, ConsidersAsManyDevicesAsTheProfilesMachineHas) {
  std::vector<std::string> arguments(nd24k.begin(), nd24k.end() - 2);  // without --max-devices
  arguments.emplace_back("--json");
  const ProgramRun usual = run_program(arguments);
  ASSERT_EQ(usual.exit_status, 0) << usual.errors;
  EXPECT_EQ(nlohmann::json::parse(usual.output)["choices"].size(), 2u);
  EXPECT_EQ(usual.errors, "");

  arguments.insert(arguments.end(), {"--max-devices", "4"});
  const ProgramRun asked = run_program(arguments);
  const auto json = nlohmann::json::parse(asked.output);
  ASSERT_EQ(json["choices"].size(), 3u);
  EXPECT_NE(asked.errors.find("profile 'gtx280' is of a machine with 2 devices"), std::string::npos)
      << asked.errors;
  EXPECT_FALSE(json["choices"][2]["warnings"].empty());
}

TEST(AdviseCommand, RefusesMoreDevicesThanAnyMachineHas) {
  std::vector<std::string> arguments = nd24k;
  arguments.back() = "1000000000";
  const ProgramRun result = run_program(arguments);
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast advise: --max-devices 1000000000: expected 1 to 8192 devices\n");
}

TEST(AdviseCommand, RefusesOptionsOfSeveralDevicesWhereOnlyOneIsConsidered) {
  const auto refusal = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"advise",     "--profile", "amd-epyc-zen4-2cores",
                                       "--unknowns", "1e5",       "--elements",
                                       "7e5",        "--block",   "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2) << result.output;
    return result.errors;
  };
  EXPECT_EQ(refusal({"--max-devices", "4"}),
            "sparsecast advise: --max-devices 4: one device of each profile is all there is to "
            "consider\n");
  EXPECT_EQ(refusal({"--min-efficiency", "0.5"}),
            "sparsecast advise: --min-efficiency: one device of each profile is all there is to "
            "consider\n");
}

TEST(AdviseCommand, SaysWhatSolversNeedToBeCompared) {
  const ProgramRun result =
      run_program({"advise", "no.mtx", "--profile", "nvidia-h200", "--solver", "cg,gmres"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast advise: --solver cg,gmres: solvers take different numbers of iterations; "
            "add --rtol to count them, or name one\n");
}

TEST(AdviseCommand, RefusesAProfileThatIsGivenTwice) {
  std::vector<std::string> arguments = nd24k;
  arguments.insert(arguments.end(), {"--profile", "gtx280"});
  const ProgramRun result = run_program(arguments);
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast advise: --profile gtx280: is given twice; give each profile once\n");
}

TEST(AdviseCommand, RefusesBlocksWithoutKernelsAndNumbersThatNoMatrixHas) {
  const auto refusal = [](const char* elements, const char* block) {
    const ProgramRun result = run_program({"advise", "--profile", "gtx280", "--unknowns", "1e4",
                                           "--elements", elements, "--block", block});
    EXPECT_EQ(result.exit_status, 2) << result.output;
    return result.errors;
  };
  EXPECT_EQ(refusal("1e6", "5"), "sparsecast advise: --block 5: expected 1, 2, 3, 4, 6 or 8\n");
  EXPECT_EQ(refusal("9999", "1"),
            "sparsecast advise: 9999 elements are fewer than a full diagonal has; expected at "
            "least 10000\n");
}

TEST(AdviseCommand, TakesIterationsWithAnExponent) {
  std::vector<std::string> arguments = nd24k;
  arguments.insert(arguments.end(), {"--iterations", "1e3"});
  const ProgramRun result = run_program(arguments);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("time for 1 000"), std::string::npos) << result.output;
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
