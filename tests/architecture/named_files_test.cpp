#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

const fs::path root = SPARSECAST_SOURCE_DIR;

/// The files that speak of others: pages, but those of the past, and sources.
std::vector<fs::path> speaking_files() {
  std::vector<fs::path> files{root / "README.md", root / "CONTRIBUTING.md"};
  for (const char* folder :
       {"include", "core", "model", "calibrate", "predict", "cli", "python", "bench", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().string();
      const bool speaks = std::regex_search(name, std::regex(R"(\.(md|hpp|cpp|cuh|cu|inc|py)$)"));
      const bool ours = name.find("/node_modules/") == std::string::npos;
      if (speaks && ours && name.find("/docs/history/") == std::string::npos) {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All first groups of a pattern in a text.
std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

TEST(NamedFiles, AreThereWherePagesAndCommentsNameThem) {
  const std::regex path(
      R"(\b((?:include|core|model|calibrate|predict|cli|python|bench|tests|docs|profiles)/[\w/.-]*\w\.(?:hpp|cpp|cuh|cu|inc|py|md|csv(?:\.gz)?|svg|json|txt))\b)");
  const std::regex pattern_name("[A-Z]{4}");  // profiles/NAME.json
  for (const fs::path& file : speaking_files()) {
    for (const std::string& name : matches(content_of(file), path)) {
      if (std::regex_search(name, pattern_name)) continue;
      EXPECT_TRUE(fs::exists(root / name) || fs::exists(file.parent_path() / name))
          << file.string() << " names " << name;
    }
  }
}

TEST(NamedFiles, AreThereWherePagesLinkToThem) {
  const std::regex link(R"(\]\(([^)#: ]+)[^)]*\))");
  for (const fs::path& file : speaking_files()) {
    if (file.extension() != ".md") continue;
    for (const std::string& name : matches(content_of(file), link)) {
      if (name.starts_with("http")) continue;
      EXPECT_TRUE(fs::exists(file.parent_path() / name)) << file.string() << " links to " << name;
    }
  }
}

}  // namespace
}  // namespace sparsecast
