#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
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

/// With one space where there are several, since columns may be wider, and without empty lines.
std::string collapsed(const std::string& text) {
  std::string result = "\n";
  for (const char c : text) {
    const bool again = (c == ' ' || c == '\n') && result.back() == c;
    if (!again) result += c;
  }
  return result;
}

/// Whether text is the pattern, in which "..." stands for any text.
bool matches(const std::string& text, const std::string& pattern) {
  constexpr std::string_view gap = "...";
  std::size_t from = 0;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = pattern.find(gap, begin);
    const std::string piece = pattern.substr(begin, end - begin);
    if (end == std::string::npos) {
      return text.size() >= from + piece.size() && text.ends_with(piece) &&
             (begin > 0 || text == piece);
    }
    const std::size_t place = text.find(piece, from);
    if (place == std::string::npos || (begin == 0 && place > 0)) return false;
    from = place + piece.size();
    begin = end + gap.size();
  }
}

TEST(Tutorial, IsHeldAgainstWhatIsPrintedLineByLine) {
  const std::string text = collapsed("a  b\n\nc d\ne\n");
  for (const char* pattern : {"\na b\nc d\ne\n", "\n...\nc d\n...\n", "\na b\nc ...\ne\n"}) {
    EXPECT_TRUE(matches(text, pattern)) << pattern;
  }
  for (const char* pattern :
       {"\na b\nc d\n", "\na b\ne\n", "\na b\nc\n...\n", "\nc d\ne\n", "\na b\nc d\n...\ne\n"}) {
    EXPECT_FALSE(matches(text, pattern)) << pattern;
  }
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
    if (each.lines.empty()) continue;
    std::string shown;
    for (const std::string& line : each.lines) shown += line + '\n';
    EXPECT_TRUE(matches(collapsed(result.output), collapsed(shown)))
        << shown << "is not what is printed:\n"
        << result.output;
  }
}

}  // namespace
}  // namespace sparsecast::testing
