#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"

namespace sparsecast::testing {
namespace {

/// "$ sparsecast ..." of a page, and the lines below it that it prints.
struct PrintedCommand {
  std::string command;
  std::vector<std::string> lines;
};

std::vector<PrintedCommand> commands_of(const std::string& page) {
  std::vector<PrintedCommand> commands;
  bool in_block = false;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (in_block && line.starts_with("$ ")) {
      commands.push_back({line.substr(2), {}});
    } else if (in_block && !line.empty() && !commands.empty()) {
      commands.back().lines.push_back(line);
    }
  }
  return commands;
}

/// With one space where there are several: columns may be wider.
std::string collapsed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  }
  return result;
}

TEST(Tutorial, PrintsWhatItsCommandsPrint) {
  const TemporaryFolder folder;
  const auto program_folder = std::filesystem::path(tested_program()).parent_path();
  const std::vector<PrintedCommand> commands =
      commands_of(read_file(std::string(SPARSECAST_SOURCE_DIR) + "/docs/tutorial.md"));
  EXPECT_GE(commands.size(), 9u);
  for (const PrintedCommand& each : commands) {
    SCOPED_TRACE(each.command);
    const ProgramRun result =
        run("/bin/sh", {"-c", "cd '" + folder.path().string() + "' && PATH='" +
                                  program_folder.string() + "':\"$PATH\" && " + each.command});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    const std::string output = collapsed(result.output);
    std::size_t from = 0;
    for (const std::string& line : each.lines) {
      const std::size_t place = output.find(collapsed(line), from);
      EXPECT_NE(place, std::string::npos) << line << "\nis not, in this order, in\n"
                                          << result.output;
      if (place != std::string::npos) from = place;
    }
  }
}

}  // namespace
}  // namespace sparsecast::testing
