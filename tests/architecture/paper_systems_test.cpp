#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

const fs::path root = SPARSECAST_SOURCE_DIR;
constexpr int systems = 27;

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// What a cell names: each `...` in it, nothing in "-".
std::vector<std::string> names_in(const std::string& cell) {
  static const std::regex quoted("`([^`]*)`");
  std::vector<std::string> names;
  for (std::sregex_iterator match(cell.begin(), cell.end(), quoted), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

/// A row of docs/papers/README.md.
struct SystemRow {
  std::string id;
  std::string test;
  std::string command;
  std::string verdict;
};

/// The rows whose first cell is S and a number; other lines are text. A row without seven cells has
/// an empty verdict.
std::vector<SystemRow> rows_of(const std::string& page) {
  static const std::regex id("S[0-9]+");
  std::vector<SystemRow> rows;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(trimmed(cell));
    // In front of the first bar there is nothing.
    if (cells.size() < 2 || !std::regex_match(cells[1], id)) continue;
    SystemRow row;
    row.id = cells[1];
    if (cells.size() == 8) {
      row.test = cells[4];
      row.command = cells[5];
      row.verdict = cells[7];
    }
    rows.push_back(row);
  }
  return rows;
}

/// Suite.Name of every test in the sources.
const std::set<std::string>& all_tests() {
  static const std::set<std::string> all = [] {
    static const std::regex test(
        R"(\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+),\s*(\w+)\s*\))");
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".cu") continue;
      const std::string source = content_of(entry.path());
      for (std::sregex_iterator match(source.begin(), source.end(), test), end; match != end;
           ++match) {
        found.insert((*match)[1].str() + "." + (*match)[2].str());
      }
    }
    return found;
  }();
  return all;
}

/// The help of a subcommand; empty where there is no such one.
const std::string& help_of(const std::string& subcommand) {
  static std::map<std::string, std::string> known;
  const auto [place, is_new] = known.try_emplace(subcommand);
  if (is_new) {
    const testing::ProgramRun result = testing::run(SPARSECAST_PROGRAM, {subcommand, "--help"});
    if (result.exit_status == 0) place->second = result.output;
  }
  return place->second;
}

/// What a command names that is not there; empty where all is.
std::string missing_in(const std::string& command) {
  std::istringstream text(command);
  const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  if (words.empty()) return "a command";
  if (words[0].starts_with("scripts/")) return fs::exists(root / words[0]) ? "" : words[0];
  if (words[0] != "sparsecast" || words.size() < 2) return words[0];
  if (words[1].starts_with('-') || help_of(words[1]).empty()) return words[1];
  const std::string& help = help_of(words[1]);
  for (auto word = words.begin() + 2; word != words.end(); ++word) {
    if (!word->starts_with('-')) continue;
    const std::string option = word->substr(0, word->find('='));
    // A line of the list of options, as "  -b [ --block ] arg": other text may name them too.
    const std::string start = option.starts_with("--") ? "(-\\w \\[ )?" : "";
    const std::regex listed("\n  " + start + option + "\\s");
    if (!std::regex_search(help, listed)) return option;
  }
  // `generate` has kinds in place of subcommands of its own.
  const bool has_kind = words.size() > 2 && !words[2].starts_with('-');
  if (words[1] == "generate" && has_kind &&
      help.find("\n  " + words[2] + ' ') == std::string::npos) {
    return words[2];
  }
  return "";
}

bool is_verdict(const std::string& verdict) {
  static const std::regex out_of_scope("out of scope, because \\S.*");
  return verdict == "works" || verdict == "open" || std::regex_match(verdict, out_of_scope);
}

/// What is wrong with a page, a line each.
std::vector<std::string> faults_of(const std::string& page) {
  std::vector<std::string> faults;
  const std::vector<SystemRow> rows = rows_of(page);
  for (int number = 1; number <= systems; ++number) {
    const std::string id = "S" + std::to_string(number);
    const auto count = std::ranges::count(rows, id, &SystemRow::id);
    if (count != 1) faults.push_back(id + " has " + std::to_string(count) + " rows");
  }
  for (const SystemRow& row : rows) {
    if (!is_verdict(row.verdict)) faults.push_back(row.id + " has the verdict " + row.verdict);
    const std::vector<std::string> tests = names_in(row.test);
    const std::vector<std::string> commands = names_in(row.command);
    // What is not in `...` would not be looked for.
    if (tests.empty() && row.test != "-") faults.push_back(row.id + " has no test nor -");
    if (commands.empty() && row.command != "-") faults.push_back(row.id + " has no command nor -");
    if (row.verdict == "works" && (tests.empty() || commands.empty())) {
      faults.push_back(row.id + " works without a test or a command");
    }
    for (const std::string& test : tests) {
      if (!all_tests().contains(test)) faults.push_back(row.id + " names the test " + test);
    }
    for (const std::string& command : commands) {
      const std::string missing = missing_in(command);
      if (!missing.empty()) faults.push_back(row.id + " names " + missing);
    }
  }
  return faults;
}

using Faults = std::vector<std::string>;

/// A page of all systems whose first one has these cells.
std::string page_with(const std::string& test, const std::string& command,
                      const std::string& verdict) {
  std::string page =
      "| S1 | a system | a layout | " + test + " | " + command + " | - | " + verdict + " |\n";
  for (int number = 2; number <= systems; ++number) {
    page += "| S" + std::to_string(number) + " | a system | - | - | - | - | open |\n";
  }
  return page;
}

TEST(PaperSystems, HaveARowEachWhoseTestAndCommandExist) {
  EXPECT_EQ(faults_of(content_of(root / "docs/papers/README.md")), Faults{});
}

TEST(PaperSystems, MayNameTestsOfAllKindsAndSeveralCommands) {
  const std::string existing =
      "`Laplacian.HasTheStencilsRowLengthsAndSumsToZeroInside`, "
      "`SolveCommand.PrintsNumbersAsJson`, `ThreadedConformance.ProductsOnTheCpu`, "
      "`ThreadedBcsr.HoldsExactlyTheMatrixInEveryLayout`";
  EXPECT_EQ(faults_of(page_with(
                existing, "`sparsecast solve a.mtx --rtol=1e-3 -b 4`, `scripts/format`", "works")),
            Faults{});
  EXPECT_EQ(faults_of(page_with("-", "-", "out of scope, because it is")), Faults{});
}

TEST(PaperSystems, FailOnTestsThatDoNotExist) {
  EXPECT_EQ(faults_of(page_with("`Laplacian.IsAGardenGnome`", "-", "open")),
            Faults{"S1 names the test Laplacian.IsAGardenGnome"});
  EXPECT_EQ(faults_of(page_with("Laplacian.IsAGardenGnome", "-", "open")),
            Faults{"S1 has no test nor -"});
}

TEST(PaperSystems, FailOnCommandsThatDoNotExist) {
  const auto fault_of = [](const std::string& command) {
    return faults_of(page_with("-", '`' + command + '`', "open"));
  };
  EXPECT_EQ(fault_of("sparsecast conjure --layout csr"), Faults{"S1 names conjure"});
  EXPECT_EQ(fault_of("sparsecast bench spmv --lay csr"), Faults{"S1 names --lay"});
  EXPECT_EQ(fault_of("sparsecast bench spmv --layout=csr --spell"), Faults{"S1 names --spell"});
  EXPECT_EQ(fault_of("sparsecast bench spmv -y csr"), Faults{"S1 names -y"});
  EXPECT_EQ(fault_of("sparsecast generate gnomes --out a.mtx"), Faults{"S1 names gnomes"});
  EXPECT_EQ(fault_of("sparsecast"), Faults{"S1 names sparsecast"});
  EXPECT_EQ(fault_of("scripts/conjure"), Faults{"S1 names scripts/conjure"});
  EXPECT_EQ(fault_of("make"), Faults{"S1 names make"});
  EXPECT_EQ(faults_of(page_with("-", "sparsecast bench", "open")),
            Faults{"S1 has no command nor -"});
}

TEST(PaperSystems, FailOnOtherVerdictsAndOnRowsThatAreMissing) {
  EXPECT_EQ(faults_of(page_with("-", "-", "nearly")), Faults{"S1 has the verdict nearly"});
  EXPECT_EQ(faults_of(page_with("-", "-", "out of scope, because ")),
            Faults{"S1 has the verdict out of scope, because"});
  EXPECT_EQ(faults_of(page_with("-", "-", "works")),
            Faults{"S1 works without a test or a command"});
  const std::string page = page_with("-", "-", "open");
  EXPECT_EQ(faults_of(page.substr(page.find('\n') + 1)), Faults{"S1 has 0 rows"});
  EXPECT_EQ(faults_of(page + "| S27 | a system | - | - | - | - | open |\n"),
            Faults{"S27 has 2 rows"});
}

}  // namespace
}  // namespace sparsecast
