#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

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

TEST(Program, SuggestsTheCommandOrOptionThatWasMeant) {
  EXPECT_EQ(run_program({"predcit"}).errors,
            "sparsecast: no command 'predcit', did you mean 'predict'?; see sparsecast --help\n");
  const ProgramRun option = run_program({"predict", "--presision", "f32"});
  EXPECT_EQ(option.exit_status, 2);
  EXPECT_NE(option.errors.find("did you mean --precision?"), std::string::npos) << option.errors;
}

TEST(Program, PrintsTheHelpOfACommandWithHelpBeforeIt) {
  const ProgramRun before = run_program({"help", "predict"});

  EXPECT_EQ(before.exit_status, 0);
  EXPECT_EQ(before.output, run_program({"predict", "--help"}).output);
  EXPECT_NE(before.output.find("Usage: sparsecast predict"), std::string::npos);
  EXPECT_EQ(run_program({"help", "predcit"}).exit_status, 2);
}

TEST(Program, PassesNoCommandsToTheTerminalFromNamesOfFiles) {
  const TemporaryFolder folder;
  const std::string evil = (folder / "\x1b]0;evil\x07\xc2\x9b\xff.mtx").string();
  write_matrix_market(evil, laplacian(5, 3, 3).view());
  const ProgramRun shown = run_program({"inspect", evil});
  const ProgramRun refused = run_program({"inspect", evil + "x"});

  EXPECT_EQ(shown.exit_status, 0);
  EXPECT_NE(shown.output.find("\\x1b]0;evil\\x07\\xc2\\x9b\\xff.mtx"), std::string::npos)
      << shown.output;
  for (const std::string& text : {shown.output, refused.errors}) {
    EXPECT_EQ(text.find_first_of("\x1b\x07\x9b\xff"), std::string::npos);
  }
}

TEST(Program, PassesNoCommandsToTheTerminalFromAProfile) {
  const TemporaryFolder folder;
  const std::string path = (folder / "p.json").string();
  std::string text = read_file(SPARSECAST_SOURCE_DIR "/profiles/gtx280.json");
  const std::string field = "\"device\": \"";
  text.insert(text.find(field) + field.size(), "\\u001b[31m");
  write_file(path, text);
  const ProgramRun result = run_program(
      {"predict", "--unknowns", "1000", "--elements", "30000", "--block", "4", "--profile", path});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("\\x1b[31m"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find('\x1b'), std::string::npos);
}

TEST(Program, PrintsJsonOfFilesWhateverTheirNames) {
  const TemporaryFolder folder;
  for (const char* name : {"latin-\xe9.mtx", "delete-\x7f.mtx", "c1-\xc2\x85.mtx", "tab-\t.mtx"}) {
    const std::string path = (folder / name).string();
    write_matrix_market(path, laplacian(5, 3, 3).view());
    const ProgramRun result = run_program({"inspect", path, "--json"});

    EXPECT_EQ(result.exit_status, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json["rows"], 9);
    EXPECT_EQ(json["matrix"] == path, name[0] != 'l');  // what is no UTF-8 is replaced
    EXPECT_EQ(result.output.find_first_of("\x7f\x85\xe9"), std::string::npos);
  }
}

TEST(Program, RefusesADeviceAsAProfile) {
  const ProgramRun result = run_program({"predict", "--unknowns", "1000", "--elements", "30000",
                                         "--block", "4", "--profile", "/dev/zero"});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "sparsecast predict: /dev/zero: is a device; expected a file\n");
}

TEST(Program, DrawsWithoutAShellOrTemporaryFiles) {
  const TemporaryFolder folder;
  const std::string out = (folder / "it's.svg").string();
  const ProgramRun result = run_program({"map", "--profile", "gtx280", "--out", out},
                                        {"TMPDIR=" + (folder / "not'there").string()});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(read_file(out).find("</svg>"), std::string::npos);
}

TEST(Program, NamesAnUnknownCommandInOneLine) {
  const ProgramRun result = run_program({"forecast"});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors, "sparsecast: no command 'forecast'; see sparsecast --help\n");
}

TEST(Program, KeepsAnErrorOnOneLineWhateverIsInANameOfIt) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"inspect", "a\nb.mtx"},
                                                {"map", "--profile", "a\nb", "--out", "map.csv"}}) {
    const ProgramRun result = run_program(wrong);
    EXPECT_NE(result.exit_status, 0);
    EXPECT_NE(result.errors.find("a\\x0ab"), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  }
}

TEST(Program, PrintsHelpForATerminal) {
  std::vector<std::vector<std::string>> helps{{"--help"}};
  for (const char* command : {"advise", "bench", "calibrate", "devices", "generate", "inspect",
                              "map", "predict", "report", "solve", "validate"}) {
    helps.push_back({command, "--help"});
  }
  for (const std::vector<std::string>& help : helps) {
    std::istringstream lines(run_program(help).output);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

}  // namespace
}  // namespace sparsecast::testing
