#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// What the files of one room may include: other rooms with theirs, and libraries by the first part
/// of their path. The standard library and the system are free to all.
struct RoomRule {
  Names rooms;
  Names libraries;
};

/// A room is a folder with those below it that have no rule of their own.
const std::map<std::string, RoomRule>& rules() {
  static const std::map<std::string, RoomRule> all = [] {
    const Names for_model{"core/base", "core/workload", "core/schedule"};
    const Names for_formats{"core/base", "core/matrix", "core/workload"};
    const auto with = [](Names names, const Names& more) {
      names.insert(more.begin(), more.end());
      return names;
    };
    const Names for_analysis = with(for_formats, {"core/schedule", "core/formats"});
    const Names for_engine = with(for_analysis, {"core/analysis"});
    const Names for_back_ends = with(for_engine, {"core/engine"});
    const Names for_core = with(for_back_ends, {"core/cpu", "core/cuda"});
    const Names for_plan = with(for_core, {"core", "model", "calibrate"});
    const Names for_measure = with(for_plan, {"calibrate/plan"});
    const Names for_fit = with(for_measure, {"calibrate/measure"});
    const Names for_predict = with(for_core, {"core", "model"});
    const Names for_cli = with(
        for_fit, {"core/mpi", "calibrate/fit", "calibrate/links", "predict", "predict/validation"});
    return std::map<std::string, RoomRule>{
        {"include", {with(for_fit, {"calibrate/fit", "predict"}), {}}},
        {"core", {for_core, {}}},
        {"core/base", {{}, {"libdeflate.h", "zlib.h", "zstd", "nlohmann"}}},
        {"core/matrix", {{"core/base"}, {"Eigen", "metis.h"}}},
        {"core/workload", {{"core/base"}, {}}},
        {"core/schedule", {{"core/base", "core/workload"}, {}}},
        {"core/formats", {for_formats, {}}},
        {"core/analysis", {for_analysis, {}}},
        {"core/engine", {for_engine, {}}},
        {"core/cpu", {for_back_ends, {}}},
        {"core/cuda", {for_back_ends, {"cuda"}}},
        {"core/mpi", {for_back_ends, {"mpi.h", "ptscotch.h"}}},
        {"model", {for_model, {"nlohmann"}}},
        {"calibrate", {with(for_fit, {"calibrate/fit"}), {}}},
        {"calibrate/plan", {for_plan, {}}},
        {"calibrate/measure", {for_measure, {}}},
        {"calibrate/fit", {for_fit, {"ceres", "Eigen"}}},
        {"calibrate/links", {with(for_fit, {"calibrate/fit"}), {"ceres", "Eigen"}}},
        {"predict", {for_predict, {}}},
        {"predict/validation", {with(for_predict, {"predict"}), {}}},
        {"python", {for_cli, {"pybind11"}}},
        {"cli", {for_cli, {"boost", "nlohmann"}}},
        {"cli/commands", {with(for_cli, {"cli"}), {"boost", "nlohmann"}}}};
  }();
  return all;
}

const Names known_libraries{"Eigen",    "boost",        "ceres",   "cuda", "glog",
                            "nlohmann", "libdeflate.h", "zlib.h",  "zstd", "metis.h",
                            "mpi.h",    "ptscotch.h",   "pybind11"};

/// The room of a file ("core/matrix/csr.hpp"): the longest folder that has a rule. The products of
/// a format lie in its folder, and are written against the back ends: they may include what these
/// may.
std::string room_of(const std::string& file) {
  if (file.starts_with("core/formats/")) {
    if (file.ends_with("/cpu.cpp") || file.find("/cpu/") != std::string::npos) return "core/cpu";
    if (file.ends_with("/cuda.cpp") || file.find("/cuda/") != std::string::npos) return "core/cuda";
    if (file.ends_with(".cu") || file.ends_with(".cuh")) return "core/cuda";
  }
  std::string folder = file;
  do {
    folder = folder.substr(0, folder.rfind('/'));
  } while (!rules().contains(folder) && folder.find('/') != std::string::npos);
  return folder;
}

bool is_of_this_project(const std::string& path) {
  return path.find('/') != std::string::npos && rules().contains(path.substr(0, path.find('/')));
}

/// Whether a file may include another one of this project, directly or not.
bool may_reach(const std::string& file, const std::string& included) {
  const std::string room = room_of(file);
  const std::string other = room_of(included);
  return room == other || rules().at(room).rooms.contains(other);
}

/// Whether a file may say `#include` of this path.
bool may_include(const std::string& file, const std::string& included) {
  if (is_of_this_project(included)) return may_reach(file, included);
  // "cuda_runtime.h" and "cuda/..." are one library.
  const auto is_of = [&](const Names& libraries) {
    return std::ranges::any_of(
        libraries, [&](const std::string& start) { return included.starts_with(start); });
  };
  if (!is_of(known_libraries)) return true;
  // Whoever installs the package gets the headers without the libraries behind them.
  const bool public_header =
      file.ends_with(".hpp") && !file.starts_with("cli/") && !file.starts_with("python/");
  return !public_header && is_of(rules().at(room_of(file)).libraries);
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

using Graph = std::map<std::string, Names>;

/// What every source and header of the project includes.
const Graph& includes() {
  static const Graph graph = [] {
    Graph found;
    const fs::path root = SPARSECAST_SOURCE_DIR;
    for (const char* folder :
         {"include", "core", "model", "calibrate", "predict", "cli", "python"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        static const Names endings{".hpp", ".cpp", ".cu", ".cuh", ".inc", ".def"};
        if (!endings.contains(entry.path().extension().string())) continue;
        const std::vector<std::string> named = includes_of(entry.path());
        found[fs::relative(entry.path(), root).generic_string()] = {named.begin(), named.end()};
      }
    }
    return found;
  }();
  return graph;
}

/// All that can be reached from a node, itself only through a circle.
Names reached_from(const Graph& graph, const std::string& start) {
  Names reached;
  std::vector<std::string> open{start};
  while (!open.empty()) {
    const auto edges = graph.find(open.back());
    open.pop_back();
    if (edges == graph.end()) continue;
    for (const std::string& next : edges->second) {
      if (reached.insert(next).second) open.push_back(next);
    }
  }
  return reached;
}

/// A header and the sources of its name are one module.
std::string module_of(const std::string& file) {
  return file.substr(0, file.rfind('.'));
}

Graph modules(const Graph& files) {
  Graph graph;
  for (const auto& [file, included] : files) {
    for (const std::string& other : included) {
      if (files.contains(other) && module_of(other) != module_of(file)) {
        graph[module_of(file)].insert(module_of(other));
      }
    }
  }
  return graph;
}

/// Modules from which includes lead back to them.
Names in_circles(const Graph& files) {
  const Graph graph = modules(files);
  Names found;
  for (const auto& [module, unused] : graph) {
    if (reached_from(graph, module).contains(module)) found.insert(module);
  }
  return found;
}

TEST(Includes, FollowTheArrowsBetweenTheRooms) {
  EXPECT_GT(includes().size(), 300u);
  for (const auto& [file, named] : includes()) {
    for (const std::string& included : named) {
      EXPECT_TRUE(may_include(file, included)) << file << " must not include " << included;
      EXPECT_TRUE(!is_of_this_project(included) || includes().contains(included))
          << file << " includes " << included << ", which is not there";
    }
    for (const std::string& included : reached_from(includes(), file)) {
      if (!includes().contains(included)) continue;
      EXPECT_TRUE(may_reach(file, included))
          << file << " must not include " << included << ", which one of its headers does";
    }
  }
}

TEST(Includes, HaveNoCircles) {
  EXPECT_EQ(in_circles(includes()), Names{});
}

TEST(Includes, AreRefusedAgainstTheArrows) {
  EXPECT_FALSE(may_include("core/matrix/csr.hpp", "model/paper/throughput_curve.hpp"));
  EXPECT_FALSE(may_include("core/base/error.hpp", "core/matrix/csr.hpp"));
  EXPECT_FALSE(may_include("core/matrix/csr.hpp", "core/workload/layout.hpp"));
  EXPECT_FALSE(may_include("core/formats/dia/dia.cpp", "core/cpu/cpu_matrix.hpp"));
  EXPECT_TRUE(may_include("core/formats/dia/cpu.cpp", "core/cpu/cpu_matrix.hpp"));
  EXPECT_FALSE(may_include("core/formats/dia/cpu.cpp", "core/cuda/device/check.cuh"));
  EXPECT_FALSE(may_include("core/analysis/features.cpp", "core/cpu/machine.hpp"));
  EXPECT_FALSE(may_include("core/cuda/run/device_run.cpp", "core/cpu/cpu_plan.hpp"));
  EXPECT_FALSE(may_include("core/engine/solve.cpp", "cli/reports/progress.hpp"));
  EXPECT_FALSE(may_include("model/paper/iteration_time.cpp", "core/matrix/csr.hpp"));
  EXPECT_FALSE(may_include("model/paper/iteration_time.cpp", "core/analysis/features.hpp"));
  EXPECT_FALSE(may_include("calibrate/plan/gpu_plan.cpp", "calibrate/fit/curves/curve_fit.hpp"));
  EXPECT_FALSE(may_include("predict/predict_matrix.cpp", "predict/validation/case_price.hpp"));
  EXPECT_FALSE(may_include("cli/plots/mapping_plot.cpp", "cli/commands/bench/spmv_timing.hpp"));
  EXPECT_FALSE(may_include("predict/advice/advice.cpp", "ceres/ceres.h"));
  EXPECT_FALSE(may_include("include/sparsecast/sparsecast.hpp", "cli/reports/progress.hpp"));
  EXPECT_FALSE(may_include("include/sparsecast/sparsecast.hpp", "Eigen/Core"));
  EXPECT_TRUE(may_include("python/bindings/solve.cpp", "pybind11/pybind11.h"));
  EXPECT_FALSE(may_include("python/bindings/solve.cpp", "cli/reports/progress.hpp"));
  EXPECT_FALSE(may_include("predict/advice/advice.cpp", "pybind11/pybind11.h"));
  EXPECT_FALSE(may_include("cli/main.cpp", "python/bindings/watch.hpp"));
  EXPECT_FALSE(may_include("predict/advice/advice.cpp", "calibrate/fit/curves/curve_fit.hpp"));
  EXPECT_FALSE(may_include("calibrate/fit/curves/curve_fit.cpp", "boost/program_options.hpp"));
  EXPECT_TRUE(may_include("core/cuda/run/device_run.cpp", "cuda_runtime.h"));
  EXPECT_FALSE(may_include("core/engine/solve.cpp", "cuda_runtime.h"));
}

TEST(Includes, KeepLibrariesOutOfPublicHeaders) {
  EXPECT_TRUE(may_include("model/profile/device_profile.cpp", "nlohmann/json.hpp"));
  EXPECT_FALSE(may_include("model/profile/device_profile.hpp", "nlohmann/json.hpp"));
}

TEST(Includes, CirclesAreFoundThroughHeadersAndSources) {
  const Graph files{{"core/a.hpp", {}},
                    {"core/a.cpp", {"core/a.hpp", "core/b.hpp", "vector"}},
                    {"core/b.hpp", {"core/c.hpp"}},
                    {"core/c.hpp", {"core/a.hpp"}},
                    {"core/d.cpp", {"core/a.hpp"}}};
  EXPECT_EQ(in_circles(files), (Names{"core/a", "core/b", "core/c"}));
}

TEST(Includes, KnowTheRoomOfEveryFile) {
  EXPECT_EQ(room_of("core/matrix/files/market/matrix_market.hpp"), "core/matrix");
  EXPECT_EQ(room_of("core/open_backend.hpp"), "core");
  EXPECT_EQ(room_of("predict/validation/baseline.cpp"), "predict/validation");
  // A room below core without a rule of its own would have core's, which may include all.
  for (const auto& [file, unused] : includes()) {
    const bool at_the_top = file.starts_with("core/") && room_of(file) == "core";
    EXPECT_TRUE(!at_the_top || std::ranges::count(file, '/') == 1)
        << file << " lies in a room without a rule";
  }
}

}  // namespace
}  // namespace sparsecast
