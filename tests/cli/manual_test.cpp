#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/formats/registry.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::testing {
namespace {

bool has_program(const std::string& name) {
  return run("/bin/sh", {"-c", "command -v " + name}).exit_status == 0;
}

std::set<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

/// The long options that a command's help lists.
std::set<std::string> options_of(const std::string& command) {
  const std::string help = run_program({command, "--help"}).output;
  const std::regex option(R"(\n  (?:-\w \[ )?(--[\w-]+))");
  std::set<std::string> options;
  for (std::sregex_iterator match(help.begin(), help.end(), option), end; match != end; ++match) {
    options.insert((*match)[1]);
  }
  return options;
}

std::set<std::string> command_names() {
  const std::string help = run_program({"--help"}).output;
  const std::string listed = help.substr(0, help.find("\nEnvironment"));
  const std::regex name(R"(\n  ([a-z]+) )");
  std::set<std::string> names;
  for (std::sregex_iterator match(listed.begin(), listed.end(), name), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

/// What the build installs.
class Manual : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    ASSERT_EQ(run_program({"--write-manual", folder_->path().string()}).exit_status, 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::filesystem::path page(const std::string& name) {
    return folder_->path() / "man" / "man1" / name;
  }
  static std::filesystem::path bash() {
    return folder_->path() / "bash-completion" / "completions" / "sparsecast";
  }
  static std::filesystem::path zsh() {
    return folder_->path() / "zsh" / "site-functions" / "_sparsecast";
  }

  /// What bash offers for the last of these words, in a folder.
  static std::set<std::string> offered(const std::vector<std::string>& words,
                                       const std::string& folder = "/") {
    std::string script = "cd '" + folder + "'\n. '" + bash().string() + "'\nCOMP_WORDS=(";
    for (const std::string& word : words) script += " '" + word + "'";
    script += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
              "\n_sparsecast\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const ProgramRun result = run("/bin/bash", {"--norc", "-c", script});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    std::set<std::string> lines = lines_of(result.output);
    lines.erase("");
    return lines;
  }

 private:
  static TemporaryFolder* folder_;
};
TemporaryFolder* Manual::folder_ = nullptr;

TEST_F(Manual, HasAPageOfEachCommand) {
  EXPECT_EQ(command_names().size(), 11u);
  const std::string all = read_file(page("sparsecast.1"));
  for (const std::string& name : command_names()) {
    EXPECT_TRUE(std::filesystem::exists(page("sparsecast-" + name + ".1"))) << name;
    EXPECT_NE(all.find("sparsecast\\-" + name), std::string::npos) << name;
  }
}

TEST_F(Manual, HasEveryOptionOnThePageOfItsCommand) {
  for (const std::string& name : command_names()) {
    const std::string text = read_file(page("sparsecast-" + name + ".1"));
    EXPECT_GE(options_of(name).size(), 4u) << name;
    for (const std::string& option : options_of(name)) {
      const std::string escaped = std::regex_replace(option, std::regex("-"), "\\-");
      EXPECT_NE(text.find("\\fB" + escaped + "\\fR"), std::string::npos) << name << ' ' << option;
    }
  }
}

TEST_F(Manual, IsFormattedWithoutWarnings) {
  if (!has_program("groff")) GTEST_SKIP() << "groff is missing";
  std::set<std::string> names{"sparsecast"};
  for (const std::string& name : command_names()) names.insert("sparsecast-" + name);
  for (const std::string& name : names) {
    const ProgramRun result =
        run("/bin/sh", {"-c", "groff -man -Tutf8 -ww -z '" + page(name + ".1").string() + "'"});
    EXPECT_EQ(result.exit_status, 0) << name;
    EXPECT_EQ(result.errors, "") << name;
  }
}

TEST_F(Manual, NamesTheVariablesOfTheEnvironmentThatHelpAndTheGuideName) {
  const std::string help = run_program({"--help"}).output;
  const std::string guide = read_file(SPARSECAST_SOURCE_DIR "/docs/guide.md");
  const std::regex variable(R"(\n  ([A-Z_]+)\n      ([^\n]+))");
  std::size_t found = 0;
  for (std::sregex_iterator match(help.begin(), help.end(), variable), end; match != end; ++match) {
    ++found;
    const std::string name = (*match)[1];
    const std::string meaning = (*match)[2];
    EXPECT_NE(guide.find("| `" + name + "` | "), std::string::npos) << name;
    for (const char* file : {"sparsecast.1", "sparsecast-predict.1"}) {
      EXPECT_NE(read_file(page(file)).find("\n.B " + name + "\n"), std::string::npos) << name;
    }
    // The guide sets names in the text as code.
    const std::string said = std::regex_replace(guide, std::regex("`"), "");
    EXPECT_NE(said.find(meaning), std::string::npos) << meaning;
  }
  EXPECT_EQ(found, 5u) << help;
}

TEST_F(Manual, SaysWhereThePagesAreThatTextsName) {
  const std::string pages = "/share/doc/sparsecast/docs.\n";
  EXPECT_NE(run_program({"--help"}).output.find(pages), std::string::npos);
  EXPECT_NE(read_file(page("sparsecast.1")).find(pages), std::string::npos);
  for (const std::string& name : command_names()) {
    EXPECT_NE(read_file(page("sparsecast-" + name + ".1")).find(pages), std::string::npos) << name;
  }
}

TEST_F(Manual, HasExamplesThatFitATerminal) {
  for (const std::string& name : command_names()) {
    const std::string text = read_file(page("sparsecast-" + name + ".1"));
    const std::size_t begin = text.find(".SH EXAMPLES\n");
    const std::size_t end = text.find(".SH SEE ALSO\n");
    ASSERT_LT(begin, end) << name;
    std::string examples = text.substr(begin, end - begin);
    for (const char* escaped : {"\\-", "\\e"}) {
      for (std::size_t at = 0; (at = examples.find(escaped, at)) != std::string::npos; ++at) {
        examples.erase(at, 1);
      }
    }
    for (const std::string& line : lines_of(examples)) EXPECT_LE(line.size(), 72u) << line;
  }
}

TEST_F(Manual, CompletesCommandsInBash) {
  const std::set<std::string> all = offered({"sparsecast", ""});
  for (const std::string& name : command_names()) EXPECT_TRUE(all.contains(name)) << name;
  EXPECT_EQ(offered({"sparsecast", "pre"}), std::set<std::string>{"predict"});
}

TEST_F(Manual, CompletesEveryOptionOfEveryCommandInBash) {
  for (const std::string& name : command_names()) {
    const std::set<std::string> all = offered({"sparsecast", name, "--"});
    for (const std::string& option : options_of(name)) {
      EXPECT_TRUE(all.contains(option)) << name << ' ' << option;
    }
  }
}

TEST_F(Manual, CompletesTheValuesOfOptionsInBash) {
  EXPECT_EQ(offered({"sparsecast", "predict", "--curve", ""}),
            (std::set<std::string>{"average", "maximum"}));
  const std::set<std::string> profiles = offered({"sparsecast", "predict", "-p", "nvidia-"});
  EXPECT_TRUE(profiles.contains("nvidia-h200"));
  EXPECT_FALSE(profiles.contains("gtx280"));
  std::set<std::string> layouts;
  for (const Layout& layout : all_layouts()) layouts.insert(to_string(layout));
  EXPECT_EQ(offered({"sparsecast", "solve", "--layout", ""}), layouts);
  EXPECT_EQ(offered({"sparsecast", "calibrate", "--seed", ""}), std::set<std::string>{});
}

TEST_F(Manual, CompletesOnlyWhatACommandTakes) {
  const TemporaryFolder empty;
  const auto words = [&](const std::string& command, const std::string& option) {
    return offered({"sparsecast", command, option, ""}, empty.path());
  };
  using Words = std::set<std::string>;
  const Words modes{"host", "plain", "graph", "persistent"};
  Words some = modes;
  some.insert("auto");
  EXPECT_EQ(words("predict", "--launch"), modes);
  EXPECT_EQ(words("solve", "--launch"), some);
  some = modes;
  some.insert("all");
  EXPECT_EQ(words("validate", "--launch"), some);

  const Words orders{"none", "random", "rcm", "metis", "hubs"};
  for (const char* command : {"inspect", "advise"}) {
    EXPECT_EQ(words(command, "--renumber"), orders) << command;
  }
  some = orders;
  some.insert("ptscotch");
  EXPECT_EQ(words("solve", "--renumber"), some);
  EXPECT_EQ(words("generate", "--order"), orders);
  EXPECT_TRUE(words("predict", "--renumber").contains("all"));
  EXPECT_EQ(words("bench", "--renumber"), (Words{"none", "rcm", "random"}));

  EXPECT_EQ(words("solve", "--schedule"), (Words{"fused", "algorithm1"}));
  EXPECT_EQ(words("bench", "--schedule"), (Words{"fused", "algorithm1", "vendor"}));
  EXPECT_EQ(words("validate", "--schedule"),
            (Words{"fused", "algorithm1", "vendor", "spmv", "all"}));
  EXPECT_TRUE(words("predict", "--precondition").contains("all"));
  EXPECT_FALSE(words("map", "--solver").contains("all"));
  EXPECT_EQ(words("predict", "--count-on"), (Words{"cpu", "cuda:0"}));
  EXPECT_EQ(words("generate", "--points"), (Words{"3", "5", "7", "9", "27"}));
  EXPECT_TRUE(words("generate", "--name").contains("protein"));
  EXPECT_FALSE(words("generate", "--name").contains("laplacian"));
}

TEST_F(Manual, CompletesValuesBehindASignAndACommaInBash) {
  EXPECT_EQ(offered({"sparsecast", "predict", "--curve", "=", "max"}),
            std::set<std::string>{"maximum"});
  EXPECT_EQ(offered({"sparsecast", "predict", "--curve", "="}),
            (std::set<std::string>{"average", "maximum"}));
  EXPECT_EQ(offered({"sparsecast", "predict", "--layout", "csr,di"}),
            std::set<std::string>{"csr,dia"});
}

TEST_F(Manual, CompletesFilesInBash) {
  const TemporaryFolder folder;
  write_file(folder / "box one.mtx", "");
  write_file(folder / "box2.mtx", "");
  const std::set<std::string> boxes{"box one.mtx", "box2.mtx"};
  const std::string here = folder.path().string();
  EXPECT_EQ(offered({"sparsecast", "predict", "box"}, here), boxes);
  EXPECT_EQ(offered({"sparsecast", "predict", "--quiet", "--devices", "2", "box"}, here), boxes);
  EXPECT_EQ(offered({"sparsecast", "predict", "--csv", "box"}, here), boxes);
  EXPECT_EQ(offered({"sparsecast", "bench", "sp"}, here), std::set<std::string>{"spmv"});
  EXPECT_EQ(offered({"sparsecast", "bench", "spmv", "box"}, here), boxes);
  EXPECT_EQ(offered({"sparsecast", "generate", "table4", "prot"}, here),
            std::set<std::string>{"protein"});
}

TEST_F(Manual, CompletesOnlyWordsThatTheHelpKnows) {
  // Of options whose words stand in no list of the program.
  for (const auto& [command, option] :
       std::vector<std::pair<std::string, std::string>>{{"solve", "--stop"},
                                                        {"solve", "--execution"},
                                                        {"solve", "--precision"},
                                                        {"solve", "--precondition"},
                                                        {"solve", "--rhs"},
                                                        {"bench", "--instructions"},
                                                        {"bench", "--set"},
                                                        {"bench", "--x"},
                                                        {"validate", "--families"},
                                                        {"generate", "--differences"},
                                                        {"generate", "--element"}}) {
    const std::string help = run_program({command, "--help"}).output;
    const TemporaryFolder empty;
    const std::set<std::string> words = offered({"sparsecast", command, option, ""}, empty.path());
    EXPECT_GE(words.size(), 2u) << option;
    for (const std::string& word : words) {
      EXPECT_NE(help.find(word), std::string::npos) << option << ' ' << word;
    }
  }
}

TEST_F(Manual, CompletesInZsh) {
  if (!has_program("zsh")) GTEST_SKIP() << "zsh is missing";
  // Zsh's own functions complete in an editor alone: these say what they were told.
  const auto told = [](const std::string& words, int current) {
    const std::string script =
        "_arguments() { print -rl -- $@; return 0 }; _describe() { print -rl -- $commands }\n"
        "compset() { return 1 }; compadd() { print -r -- compadd $@ }; _files() { print files }\n"
        "words=(" +
        words + "); CURRENT=" + std::to_string(current) + "\n. '" + zsh().string() +
        "'\n_sparsecast_values -J group -l -f -- one two\n";
    const ProgramRun result = run("/bin/sh", {"-c", "exec zsh -f -c \"$0\"", script});
    EXPECT_EQ(result.errors, "");
    return lines_of(result.output);
  };
  EXPECT_TRUE(told("sparsecast ''", 2).contains("devices:what this program can run on here"));
  const std::set<std::string> lines = told("sparsecast predict ''", 3);
  EXPECT_TRUE(lines.contains("compadd -q -S , -- one two"));
  EXPECT_TRUE(lines.contains("files"));
  for (const std::string& option : options_of("predict")) {
    const bool there = std::ranges::any_of(lines, [&](const std::string& line) {
      return line.starts_with("*" + option + "[") || line.starts_with("*" + option + "=[");
    });
    EXPECT_TRUE(there) << option;
  }
}

}  // namespace
}  // namespace sparsecast::testing
