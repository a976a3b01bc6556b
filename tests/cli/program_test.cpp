#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace sparsecast::testing {
namespace {

TEST(Program, PrintsItsUsageToStandardErrorAndFailsWithoutArguments) {
  const ProgramRun result = run_program({});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("Usage: sparsecast COMMAND"), std::string::npos);
}

TEST(Program, PrintsHelpToStandardOutput) {
  const ProgramRun result = run_program({"--help"});

  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("Usage: sparsecast COMMAND"), std::string::npos);
}

TEST(Program, NamesAnUnknownCommandInOneLine) {
  const ProgramRun result = run_program({"forecast"});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors, "sparsecast: no command 'forecast'; see sparsecast --help\n");
}

}  // namespace
}  // namespace sparsecast::testing
