#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// What one folder may include: headers of this project by prefix, and libraries by the first part
/// of their path. The standard library and the system are free to all.
struct FolderRule {
  std::vector<std::string> own;
  std::vector<std::string> libraries;
};

const std::map<std::string, FolderRule>& rules() {
  static const std::map<std::string, FolderRule> all{
      {"core", {{"core/"}, {"Eigen", "cuda", "libdeflate.h", "zlib.h", "metis.h"}}},
      {"model",
       {{"model/", "core/schedule.hpp", "core/cg_schedule.hpp", "core/precision.hpp",
         "core/error.hpp", "core/file_output.hpp", "core/layout.hpp", "core/launch_mode.hpp",
         "core/access_pattern.hpp", "core/gpu_execution.hpp", "core/cpu_execution.hpp",
         "core/spmv_passes.hpp", "core/exchange_mode.hpp", "core/segment_work.hpp",
         "core/persistent_steps.hpp", "core/text_fields.hpp"},
        {"nlohmann"}}},
      {"calibrate", {{"calibrate/", "core/", "model/"}, {"ceres", "Eigen", "nlohmann"}}},
      {"predict", {{"predict/", "core/", "model/"}, {"nlohmann"}}},
      {"cli", {{"cli/", "core/", "model/", "calibrate/", "predict/"}, {"boost", "nlohmann"}}}};
  return all;
}

const std::vector<std::string> known_libraries{
    "Eigen", "boost", "ceres", "cuda", "glog", "nlohmann", "libdeflate.h", "zlib.h", "metis.h"};

bool starts_with_any(const std::string& text, const std::vector<std::string>& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](const std::string& start) { return text.starts_with(start); });
}

/// Whether a file ("core/csr.hpp") may say `#include` of this path.
bool may_include(const std::string& file, const std::string& included) {
  const std::string folder = file.substr(0, file.find('/'));
  const FolderRule& rule = rules().at(folder);
  if (starts_with_any(included, rule.own)) return true;
  for (const auto& [other, unused] : rules()) {
    if (included.starts_with(other + "/")) return false;
  }
  if (!starts_with_any(included, known_libraries)) return true;
  // Whoever installs the package gets the headers without the libraries behind them.
  const bool public_header = file.ends_with(".hpp") && folder != "cli";
  return !public_header && starts_with_any(included, rule.libraries);
}

/// The paths that a file includes.
std::vector<std::string> includes_of(const fs::path& path) {
  static const std::regex directive(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  std::vector<std::string> included;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, directive)) included.push_back(match[1]);
  }
  return included;
}

/// Sources and headers of a folder, relative to the project ("core/csr.hpp").
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  const fs::path root = SPARSECAST_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    static const std::vector<std::string> endings{".hpp", ".cpp", ".cu", ".cuh", ".inc"};
    const std::string ending = entry.path().extension().string();
    if (std::ranges::find(endings, ending) != endings.end()) {
      files.push_back(fs::relative(entry.path(), root).generic_string());
    }
  }
  return files;
}

TEST(Includes, FollowTheArrowsBetweenTheFolders) {
  std::size_t seen = 0;
  for (const auto& [folder, rule] : rules()) {
    for (const std::string& file : files_of(folder)) {
      for (const std::string& included : includes_of(fs::path(SPARSECAST_SOURCE_DIR) / file)) {
        ++seen;
        EXPECT_TRUE(may_include(file, included)) << file << " must not include " << included;
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

TEST(Includes, AreRefusedAgainstTheArrows) {
  EXPECT_FALSE(may_include("core/csr.hpp", "model/throughput_curve.hpp"));
  EXPECT_FALSE(may_include("core/solve.cpp", "cli/progress.hpp"));
  EXPECT_FALSE(may_include("model/iteration_time.cpp", "core/csr.hpp"));
  EXPECT_FALSE(may_include("predict/advice.cpp", "ceres/ceres.h"));
  EXPECT_FALSE(may_include("predict/advice.cpp", "calibrate/fit.hpp"));
  EXPECT_FALSE(may_include("calibrate/fit.cpp", "boost/program_options.hpp"));
}

TEST(Includes, KeepLibrariesOutOfPublicHeaders) {
  EXPECT_TRUE(may_include("model/device_profile.cpp", "nlohmann/json.hpp"));
  EXPECT_FALSE(may_include("model/device_profile.hpp", "nlohmann/json.hpp"));
}

}  // namespace
}  // namespace sparsecast
