#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

fs::path file(const std::string& name) {
  return fs::path(SPARSECAST_SOURCE_DIR) / "tests/core/matrix/files/data" / name;
}

/// Runs the program with what a shell command prints as its standard input.
ProgramRun run_behind(const std::string& command, const std::string& arguments) {
  return run("/bin/sh", {"-c", command + " | " + tested_program() + " " + arguments});
}

std::string without_first_line(const std::string& text) {
  return text.substr(text.find('\n'));
}

TEST(MatrixKinds, AreTheSameMatrixToInspect) {
  const std::string market = run_program({"inspect", file("general.mtx").string()}).output;
  for (const char* name : {"general.tar.gz", "general.mtx.zst", "csc.npz", "general.petsc",
                           "problem.mat", "general.rua", "general.rb"}) {
    const ProgramRun result = run_program({"inspect", file(name).string()});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(without_first_line(result.output), without_first_line(market)) << name;
  }
}

TEST(MatrixKinds, AreForecastFromStandardInput) {
  const std::string path = file("symmetric.mtx").string();
  const ProgramRun named = run_program({"predict", path, "--profile", "gtx280"});
  for (const std::string& command : {"cat " + path, "gzip -c " + path}) {
    const ProgramRun piped = run_behind(command, "predict - --profile gtx280");
    EXPECT_EQ(piped.exit_status, 0) << piped.errors;
    EXPECT_TRUE(piped.output.starts_with("standard input: 10 unknowns, 38 nonzeros"));
    EXPECT_EQ(without_first_line(piped.output), without_first_line(named.output));
  }
}

TEST(MatrixKinds, ComeFromStandardInputOnce) {
  const ProgramRun twice = run_behind("cat " + file("symmetric.mtx").string(), "solve - --rhs -");
  EXPECT_EQ(twice.exit_status, 1);
  EXPECT_EQ(twice.errors,
            "sparsecast solve: standard input: it was read already, and comes once; expected a "
            "file where a matrix is read again\n");
  const ProgramRun empty = run_behind("true", "inspect -");
  EXPECT_EQ(empty.exit_status, 1);
  EXPECT_TRUE(
      empty.errors.starts_with("sparsecast inspect: standard input:1: the file is empty; "
                               "expected a matrix as Matrix Market text"))
      << empty.errors;
}

TEST(MatrixKinds, AreListedByTheHelpOfEveryCommandThatReadsOne) {
  for (const char* command :
       {"inspect", "predict", "advise", "map", "solve", "validate", "bench"}) {
    const std::string help = run_program({command, "--help"}).output;
    EXPECT_NE(help.find("Harwell-Boeing"), std::string::npos) << command;
    EXPECT_NE(help.find("-: standard"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace sparsecast::testing
