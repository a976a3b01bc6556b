#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::testing {
namespace {

class VerbosityOption : public ::testing::Test {
 protected:
  VerbosityOption() {
    write_matrix_market(grid_, laplacian(5, 20, 20).view(), {.symmetric = true});
    // Of which predict warns.
    CsrMatrix<double> general = laplacian(5, 20, 20);
    general.values[1] *= 2;
    write_matrix_market(general_, general.view(), {});
  }

  TemporaryFolder folder_;
  const std::string grid_ = (folder_ / "grid.mtx").string();
  const std::string general_ = (folder_ / "general.mtx").string();
};

TEST_F(VerbosityOption, OfNormalRunsWarnsOnceOfAFolderOfProfilesThatIsNotThere) {
  const std::string missing = (folder_ / "none").string();
  const std::string warning = "sparsecast: warning: SPARSECAST_PROFILES: there is no folder " +
                              missing + "; profiles are looked up without it\n";
  const auto errors = [&](const std::vector<std::string>& arguments) {
    const ProgramRun result = run_program(arguments, {"SPARSECAST_PROFILES=" + missing});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result.errors;
  };
  EXPECT_EQ(errors({"predict", grid_, "--profile", "nvidia-h200", "--profile", "nvidia-h100"}),
            warning);
  EXPECT_EQ(errors({"inspect", grid_}), "");
}

TEST_F(VerbosityOption, OfAQuietRunLeavesOutWarnings) {
  const std::vector<std::string> predict{"predict", general_, "--profile", "nvidia-h200"};
  const ProgramRun plain = run_program(predict);
  EXPECT_NE(plain.errors.find("sparsecast: warning: "), std::string::npos);
  for (const char* option : {"-q", "--quiet"}) {
    std::vector<std::string> arguments = predict;
    arguments.emplace_back(option);
    const ProgramRun quiet = run_program(arguments);
    EXPECT_EQ(quiet.exit_status, 0);
    EXPECT_EQ(quiet.errors, "");
    EXPECT_EQ(quiet.output, plain.output);
  }
}

TEST_F(VerbosityOption, OfAQuietRunKeepsErrors) {
  const ProgramRun result = run_program({"inspect", (folder_ / "absent.mtx").string(), "-q"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("absent.mtx"), std::string::npos);
}

TEST_F(VerbosityOption, OfAQuietRunSaysNothingOfWhatItWrote) {
  const std::string out = (folder_ / "out.mtx").string();
  const ProgramRun result =
      run_program({"generate", "dense", "--rows", "4", "--out", out, "--quiet"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output + result.errors, "");
  EXPECT_NE(read_file(out), "");
}

TEST_F(VerbosityOption, OfAVerboseRunSaysWhatWasChosenAndHowLongPhasesTook) {
  const std::vector<std::string> predict{"predict", grid_, "--profile", "nvidia-h200"};
  std::vector<std::string> arguments = predict;
  arguments.emplace_back("-v");
  const ProgramRun verbose = run_program(arguments);
  EXPECT_EQ(verbose.exit_status, 0);
  EXPECT_EQ(verbose.output, run_program(predict).output);
  for (const char* said :
       {"profile nvidia-h200: .*nvidia-h200.json; model hybrid, the best that it has",
        "precision f64: the best that all profiles have", "layouts csr.*: those that may pay",
        "reading .*grid.mtx took ", "forecasting for nvidia-h200 took ", "predict took "}) {
    EXPECT_TRUE(std::regex_search(verbose.errors, std::regex("sparsecast: " + std::string(said))))
        << said << '\n'
        << verbose.errors;
  }
}

TEST_F(VerbosityOption, OfAVerboseRunSaysHowLongCountingTook) {
  const ProgramRun verbose =
      run_program({"predict", grid_, "--profile", "nvidia-h200", "--rtol", "1e-6", "-v"});
  EXPECT_EQ(verbose.exit_status, 0);
  EXPECT_NE(verbose.errors.find("sparsecast: counting iterations to 1e-06 took "),
            std::string::npos)
      << verbose.errors;
}

TEST_F(VerbosityOption, OfAVerboseRunLeavesJsonAsItIs) {
  const ProgramRun result = run_program({"inspect", grid_, "--json", "--verbose"});
  EXPECT_EQ(nlohmann::json::parse(result.output)["rows"], 400);
  EXPECT_NE(result.errors.find("inspect took "), std::string::npos);
}

TEST_F(VerbosityOption, IsOneOfTwo) {
  const ProgramRun result = run_program({"inspect", grid_, "-q", "-v"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast inspect: --quiet and --verbose are given; expected one of them\n");
}

TEST_F(VerbosityOption, IsTakenByEveryCommand) {
  for (const char* command : {"devices", "inspect", "generate", "calibrate", "predict", "map",
                              "advise", "report", "solve", "bench", "validate"}) {
    const std::string help = run_program({command, "--help"}).output;
    EXPECT_NE(help.find("-q [ --quiet ]"), std::string::npos) << command;
    EXPECT_NE(help.find("-v [ --verbose ]"), std::string::npos) << command;
  }
}

TEST(Version, IsTheFirstLineWithTheBuildBelow) {
  const ProgramRun result = run_program({"--version"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(std::regex_search(
      result.output, std::regex("^sparsecast \\d+\\.\\d+\\.\\d+( \\([0-9a-f]{8}\\))?\n"
                                "compiler   \\S.*, C\\+\\+20.*\n"
                                "CUDA       \\S.*\n"
                                "libraries  Boost \\d.*Ceres \\d.*Eigen \\d.*libdeflate "
                                "\\d.*METIS \\d.*nlohmann-json \\d.*zlib \\d.*zstd \\d.*\n"
                                "features   CUDA o.*Python module o.*sanitizers o.*\n$")))
      << result.output;
}

}  // namespace
}  // namespace sparsecast::testing
