#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
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

using Json = nlohmann::json;

/// A case of Ginkgo's spmv or solver: what its benchmarks write of one.
void expect_ginkgo_case(const Json& each, const std::string& section) {
  EXPECT_EQ(each["completed"], true);
  const Json& apply = section == "spmv" ? each : each["apply"];
  EXPECT_TRUE(apply["time"].is_number());
  EXPECT_GT(apply["time"], 0);
  if (section == "spmv") return;
  EXPECT_TRUE(apply["iterations"].is_number_integer());
  for (const char* stage : {"generate", "apply"}) {
    EXPECT_TRUE(each[stage]["components"].is_object()) << each;
    EXPECT_TRUE(each[stage]["time"].is_number()) << each;
  }
  for (const char* residuals : {"recurrent_residuals", "true_residuals"}) {
    EXPECT_TRUE(each[residuals].is_array()) << each;
  }
}

/// Ginkgo's form: an array with an object a matrix and device. Returns the names of cases by
/// section.
std::map<std::string, std::set<std::string>> expect_ginkgo(const Json& file) {
  std::map<std::string, std::set<std::string>> names;
  EXPECT_TRUE(file.is_array() && !file.empty());
  for (const Json& matrix : file) {
    EXPECT_TRUE(matrix["filename"].is_string());
    // Without these the explorer's plots draw nothing.
    EXPECT_FALSE(matrix["dataset"]["system"].get<std::string>().empty()) << matrix;
    EXPECT_TRUE(matrix["dataset"]["executor"] == "cuda" || matrix["dataset"]["executor"] == "omp")
        << matrix;
    for (const Json* sizes : {&matrix, &matrix["problem"]}) {
      for (const char* size : {"rows", "cols", "nonzeros"}) {
        EXPECT_TRUE((*sizes)[size].is_number_integer()) << matrix;
      }
    }
    for (const char* section : {"spmv", "solver"}) {
      if (!matrix.contains(section)) continue;
      for (const auto& [name, each] : matrix[section].items()) {
        names[section].insert(name);
        expect_ginkgo_case(each, section);
      }
    }
    if (matrix.contains("optimal")) {
      EXPECT_TRUE(matrix["spmv"].contains(matrix["optimal"]["spmv"])) << matrix["optimal"];
    }
  }
  return names;
}

/// Extra-P's form: all lines have the same parameters, and all series all points. Returns call
/// paths with their metrics.
std::set<std::string> expect_extra_p(const std::string& text) {
  std::map<std::string, std::set<std::string>> points;
  std::set<std::string> all_points;
  std::string parameters;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const Json each = Json::parse(line);
    EXPECT_TRUE(each["value"].is_number()) << line;
    std::string names;
    for (const auto& [name, value] : each["params"].items()) {
      names += name + ' ';
      EXPECT_TRUE(value.is_number()) << line;
    }
    if (parameters.empty()) parameters = names;
    EXPECT_EQ(names, parameters);
    const std::string point = each["params"].dump();
    all_points.insert(point);
    points[each["callpath"].get<std::string>() + ' ' + each["metric"].get<std::string>()].insert(
        point);
  }
  EXPECT_FALSE(parameters.empty());
  std::set<std::string> series;
  for (const auto& [name, its_points] : points) {
    series.insert(name);
    EXPECT_EQ(its_points, all_points) << name;
  }
  return series;
}

/// How many points Extra-P's modeler fits each parameter to: of several those of the longest line
/// along which it varies while the others stay.
std::map<std::string, std::size_t> points_fitted(const std::string& text) {
  std::map<std::string, std::map<std::string, std::set<double>>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const Json parameters = Json::parse(line)["params"];
    for (const auto& [name, value] : parameters.items()) {
      Json others = parameters;
      others.erase(name);
      lines[name][others.dump()].insert(value.get<double>());
    }
  }
  std::map<std::string, std::size_t> longest;
  for (const auto& [name, of_parameter] : lines) {
    for (const auto& [others, values] : of_parameter) {
      longest[name] = std::max(longest[name], values.size());
    }
  }
  return longest;
}

class Exports : public ::testing::Test {
 protected:
  Exports() {
    write_matrix_market(file("grid.mtx"), laplacian(5, 30, 30).view(), {.symmetric = true});
    write_matrix_market(file("line.mtx"), laplacian(3, 500).view(), {.symmetric = true});
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  Json ginkgo() const { return Json::parse(read_file(file("ginkgo.json"))); }
  std::string extra_p() const { return read_file(file("extra_p.jsonl")); }
  /// Files of boxes of different sizes.
  std::vector<std::string> boxes(int count) const {
    std::vector<std::string> paths;
    for (int side = 3; side < 3 + count; ++side) {
      paths.push_back(file("box" + std::to_string(side) + ".mtx"));
      write_matrix_market(paths.back(), laplacian(7, side, side, side).view(), {.symmetric = true});
    }
    return paths;
  }
  ProgramRun write(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(),
                     {"--ginkgo", file("ginkgo.json"), "--extra-p", file("extra_p.jsonl")});
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result;
  }

 private:
  TemporaryFolder folder_;
};

using Names = std::set<std::string>;
using Points = std::map<std::string, std::size_t>;

TEST_F(Exports, OfForecastsNameThemAsSuch) {
  write({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--profile", "nvidia-h100",
         "--layout", "csr", "--launch", "graph"});

  EXPECT_EQ(expect_ginkgo(ginkgo())["solver"], (Names{"fused-csr-graph-f64-forecast-nvidia-h100",
                                                      "fused-csr-graph-f64-forecast-nvidia-h200"}));
  ASSERT_EQ(ginkgo().size(), 2u);
  EXPECT_EQ(ginkgo()[0]["filename"], "grid");
  EXPECT_EQ(ginkgo()[1]["filename"], "grid");
  EXPECT_EQ(ginkgo()[0]["dataset"], Json({{"system", "nvidia-h200"}, {"executor", "cuda"}}));
  EXPECT_EQ(ginkgo()[1]["dataset"]["system"], "nvidia-h100");
  EXPECT_EQ(ginkgo()[0]["nonzeros"], 900 * 5 - 4 * 30);
  EXPECT_EQ(expect_extra_p(extra_p()),
            (Names{"iteration->fused-csr-graph-f64 forecast_nvidia-h100",
                   "iteration->fused-csr-graph-f64 forecast_nvidia-h200"}));
}

TEST_F(Exports, OfAFeaturesFileHaveTheNameOfItsMatrix) {
  const std::string features = file("grid.features.json");
  ASSERT_EQ(run_program({"inspect", file("grid.mtx"), "--features", features, "--for-devices", "1"})
                .exit_status,
            0);
  write({"predict", features, "--profile", "nvidia-h200", "--layout", "csr"});
  EXPECT_EQ(ginkgo()[0]["filename"], "grid");
  EXPECT_EQ(ginkgo()[0]["problem"]["name"], "grid");
}

TEST_F(Exports, KeepOrdersOfAMatrixApart) {
  write({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--layout", "csr", "--launch",
         "graph", "--renumber", "none,rcm"});
  ASSERT_EQ(ginkgo().size(), 2u);
  EXPECT_EQ(ginkgo()[0]["filename"], "grid");
  EXPECT_EQ(ginkgo()[1]["filename"], "grid (rcm)");
  EXPECT_EQ(expect_extra_p(extra_p()),
            (Names{"iteration->fused-csr-graph-f64 forecast_nvidia-h200",
                   "iteration->fused-csr-graph-f64-rcm forecast_nvidia-h200"}));
}

TEST_F(Exports, OfNumbersAloneHaveAShortName) {
  write({"predict", "--unknowns", "1e6", "--elements", "7e6", "--block", "1", "--profile",
         "amd-epyc-zen4-2cores"});
  EXPECT_EQ(ginkgo()[0]["filename"], "unknowns-1000000-elements-7000000");
  EXPECT_EQ(ginkgo()[0]["problem"]["name"], "unknowns-1000000-elements-7000000");
  EXPECT_EQ(ginkgo()[0]["dataset"]["executor"], "omp");
}

TEST_F(Exports, OfForecastsHaveTheTimesThatJsonHas) {
  const ProgramRun result =
      write({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--layout", "csr", "--launch",
             "graph", "--iterations", "50", "--json"});

  const Json predictions = Json::parse(result.output)["predictions"];
  const Json apply = ginkgo()[0]["solver"].front()["apply"];
  EXPECT_EQ(apply["iterations"], 50);
  EXPECT_EQ(apply["time"], predictions[0]["iterations_seconds"]);
  EXPECT_NEAR(Json::parse(extra_p())["value"].get<double>(),
              predictions[0]["seconds_per_iteration"].get<double>(), 1e-12);
}

TEST_F(Exports, OfSeveralDevicesHaveTheirNumberAsAParameter) {
  write({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--layout", "csr", "--launch",
         "graph", "--devices", "1,2"});

  EXPECT_TRUE(
      expect_ginkgo(ginkgo())["solver"].contains("fused-csr-graph-x2-f64-forecast-nvidia-h200"));
  EXPECT_EQ(expect_extra_p(extra_p()),
            Names{"iteration->fused-csr-graph-f64 forecast_nvidia-h200"});
  EXPECT_EQ(points_fitted(extra_p()), (Points{{"devices", 2}}));
}

TEST_F(Exports, HaveParametersThatExtraPCanFit) {
  // A second parameter that varies with the first would leave each line one point, and so a
  // constant.
  std::vector<std::string> spmv{"bench", "spmv", "--layout", "csr"};
  for (const std::string& path : boxes(5)) spmv.push_back(path);
  const ProgramRun enough = write(spmv);
  EXPECT_EQ(points_fitted(extra_p()), (Points{{"nonzeros", 5}}));
  EXPECT_EQ(enough.errors.find("Extra-P fits"), std::string::npos) << enough.errors;

  std::vector<std::string> grid{"validate",
                                "--profile",
                                "amd-epyc-zen4-2cores",
                                "--layout",
                                "csr",
                                "--schedule",
                                "algorithm1",
                                "--precision",
                                "f64",
                                "--seconds-per-case",
                                "0.01",
                                "--devices",
                                "1,2"};
  for (const std::string& path : boxes(3)) grid.push_back(path);
  const ProgramRun few = write(grid);
  EXPECT_EQ(points_fitted(extra_p()), (Points{{"nonzeros", 3}, {"devices", 2}}));
  EXPECT_NE(few.errors.find("--extra-p: Extra-P fits a formula from 5 points of a parameter on, "
                            "and finds 3 of nonzeros (put lines of matrices of other sizes "
                            "into the file), 2 of devices (give more numbers of them)\n"),
            std::string::npos)
      << few.errors;
}

TEST_F(Exports, OfAValidationHoldBothWhatWasMeasuredAndWhatIsForecast) {
  write({"validate", file("grid.mtx"), file("line.mtx"), "--profile", "amd-epyc-zen4-2cores",
         "--layout", "csr", "--schedule", "fused,spmv", "--precision", "f64", "--seconds-per-case",
         "0.01"});

  auto names = expect_ginkgo(ginkgo());
  EXPECT_EQ(names["spmv"], (Names{"csr-f64", "csr-f64-forecast-amd-epyc-zen4-2cores"}));
  EXPECT_EQ(names["solver"],
            (Names{"fused-csr-f64", "fused-csr-f64-forecast-amd-epyc-zen4-2cores"}));
  EXPECT_EQ(ginkgo().size(), 2u);
  EXPECT_EQ(ginkgo()[0]["dataset"]["executor"], "omp");
  EXPECT_EQ(ginkgo()[0]["optimal"]["spmv"], "csr-f64");
  EXPECT_EQ(expect_extra_p(extra_p()),
            (Names{"iteration->fused-csr-f64 forecast_amd-epyc-zen4-2cores",
                   "iteration->fused-csr-f64 time", "spmv->csr-f64 forecast_amd-epyc-zen4-2cores",
                   "spmv->csr-f64 time"}));
}

TEST_F(Exports, OfTimesToSolutionHaveAllTheirIterations) {
  const ProgramRun result =
      write({"validate", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores", "--layout", "csr",
             "--rtol", "1e-6", "--precision", "f64", "--seconds-per-case", "0.01", "--json"});
  const Json row = Json::parse(result.output)["rows"][0];
  const Json solvers = ginkgo()[0]["solver"];
  EXPECT_EQ(solvers["fused-csr-f64"]["apply"]["iterations"], row["solution"]["iterations"]);
  EXPECT_GT(row["solution"]["iterations"], 1);
  EXPECT_EQ(solvers["fused-csr-f64"]["apply"]["time"],
            row["solution"]["measured"]["iterations_seconds"]);
  EXPECT_GT(solvers["fused-csr-f64-forecast-amd-epyc-zen4-2cores"]["apply"]["iterations"], 1);
}

TEST_F(Exports, OfBenchmarksHoldWhatWasMeasured) {
  write({"bench", "spmv", file("grid.mtx"), "--layout", "csr,bcsr2"});
  EXPECT_EQ(expect_ginkgo(ginkgo())["spmv"], (Names{"bcsr2-f64", "csr-f64"}));
  EXPECT_EQ(expect_extra_p(extra_p()), (Names{"spmv->bcsr2-f64 time", "spmv->csr-f64 time"}));

  write({"bench", "cg", file("grid.mtx"), "--layout", "csr", "--precision", "f32"});
  EXPECT_EQ(expect_ginkgo(ginkgo())["solver"], Names{"fused-csr-f32"});
}

TEST_F(Exports, LeaveOutWhatExtraPRefusesAndSaySo) {
  // Only the grid has bcsr4 of f32: the raw data says so.
  const std::string raw = file("raw.csv");
  ASSERT_EQ(run_program({"validate", file("grid.mtx"), file("line.mtx"), "--profile",
                         "amd-epyc-zen4-2cores", "--layout", "csr,bcsr2", "--schedule", "spmv",
                         "--precision", "f64", "--seconds-per-case", "0.01", "--csv", raw})
                .exit_status,
            0);
  std::istringstream in(read_file(raw));
  std::string without;
  for (std::string line; std::getline(in, line);) {
    const bool dropped = line.find("line") != std::string::npos &&
                         line.find("bcsr2") != std::string::npos && line[0] != '#';
    if (!dropped) without += line + '\n';
  }
  write_file(raw, without);
  const ProgramRun result = write({"validate", "--from", raw});

  EXPECT_TRUE(expect_extra_p(extra_p()).contains("spmv->csr-f64 time"));
  EXPECT_EQ(extra_p().find("bcsr2"), std::string::npos);
  EXPECT_NE(result.errors.find("--extra-p leaves out 2 of 4 series, so that 2 are left: "),
            std::string::npos)
      << result.errors;
  EXPECT_NE(result.errors.find("spmv->bcsr2-f64, "), std::string::npos) << result.errors;
}

TEST_F(Exports, OverwriteNoInput) {
  const std::string before = read_file(file("grid.mtx"));
  for (const char* option : {"--ginkgo", "--extra-p"}) {
    const ProgramRun result = run_program(
        {"predict", file("grid.mtx"), "--profile", "nvidia-h200", option, file("grid.mtx")});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find("is MATRIX too; choose another name"), std::string::npos)
        << result.errors;
  }
  EXPECT_EQ(read_file(file("grid.mtx")), before);
}

TEST_F(Exports, GoToStandardOutputWithTheTablesElsewhere) {
  const ProgramRun result = run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200",
                                         "--layout", "csr", "--ginkgo", "-"});
  EXPECT_EQ(result.exit_status, 0);
  expect_ginkgo(Json::parse(result.output));
  EXPECT_NE(result.errors.find("Where the time goes"), std::string::npos);
}

TEST_F(Exports, AreRefusedOfWhatHasNone) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"bench", "formats", "--ginkgo", file("ginkgo.json")},
           {"bench", "spmv", "--device", "cuda:0", "--mappings", "--extra-p", file("x.jsonl")}}) {
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find("does nothing"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace sparsecast::testing
