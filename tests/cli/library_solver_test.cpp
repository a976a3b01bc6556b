#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
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
using Arguments = std::vector<std::string>;

/// Solvers that libraries carry out, of a grid's Laplacian.
class LibrarySolver : public ::testing::Test {
 protected:
  LibrarySolver() {
    write_matrix_market(file("grid.mtx"), laplacian(5, 20, 20).view(), {.symmetric = true});
  }
  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  ProgramRun predict(const Arguments& more) const {
    Arguments arguments{"predict", file("grid.mtx"), "--profile", "nvidia-h200"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  static void expect_refusal(const ProgramRun& result, const std::string& why) {
    EXPECT_EQ(result.exit_status, 2) << result.output;
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(LibrarySolver, IsForecastWithTheHostsTimeForACall) {
  const auto forecast = [&](const Arguments& more) {
    Arguments options{"--solver", "cupy-cg", "--json"};
    options.insert(options.end(), more.begin(), more.end());
    const ProgramRun result = predict(options);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return Json::parse(result.output)["predictions"][0];
  };
  const Json usual = forecast({});
  EXPECT_EQ(usual["library"]["calls"], 13);
  EXPECT_EQ(usual["library"]["waits"], 1);
  const Json slow = forecast({"--host-call", "0.1ms"});
  EXPECT_EQ(slow["library"]["host_call_seconds"], 1e-4);
  EXPECT_NEAR(slow["seconds_per_iteration"].get<double>(), 14e-4, 2e-5);
  EXPECT_EQ(forecast({"--precondition", "jacobi"})["library"]["calls"], 14);
}

TEST_F(LibrarySolver, IsAdvisedOn) {
  const ProgramRun result =
      run_program({"advise", file("grid.mtx"), "--profile", "nvidia-h200", "--profile",
                   "nvidia-h100", "--solver", "cupy-gmres", "--host-call", "25us", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json advice = Json::parse(result.output);
  ASSERT_EQ(advice["choices"].size(), 2u);
  EXPECT_EQ(advice["choices"][0]["schedule"], "cupy-gmres");
}

TEST_F(LibrarySolver, IsForecastToASolution) {
  const ProgramRun result = predict({"--solver", "cupy-cg,cg", "--rtol", "1e-6", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json forecast = Json::parse(result.output);
  for (const Json& each : forecast["predictions"]) {
    EXPECT_GT(each["iterations"].get<int>(), 10) << each["schedule"];
    EXPECT_GT(each["total_seconds"].get<double>(), each["iterations_seconds"].get<double>());
    EXPECT_EQ(each.contains("library"), each["schedule"] == "cupy-cg");
  }
}

TEST_F(LibrarySolver, IsLeftOutOfAll) {
  const ProgramRun result = predict({"--solver", "all", "--block", "1", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output.find("\"library\""), std::string::npos);
}

TEST_F(LibrarySolver, IsSolvedByOurKernelsWhichIsSaid) {
  const ProgramRun result =
      run_program({"solve", file("grid.mtx"), "--solver", "cupy-gmres", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.errors.find("cupy-gmres: carried out by our kernels, not by CuPy 14"),
            std::string::npos)
      << result.errors;
}

TEST_F(LibrarySolver, IsNotValidatedNorMapped) {
  expect_refusal(run_program({"validate", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores",
                              "--solver", "cupy-cg"}),
                 "--solver cupy-cg: CuPy 14 carries it out, which this program does not run");
  expect_refusal(run_program({"map", "--profile", "nvidia-h200", "--out", file("map.csv"),
                              "--solver", "cupy-cg"}),
                 "--solver: CuPy 14 carries cupy-cg out, which maps do not draw");
}

TEST_F(LibrarySolver, RefusesWhatMeansNothing) {
  const auto refuse = [&](const Arguments& options, const std::string& why) {
    expect_refusal(predict(options), why);
  };
  for (const char* time : {"9", "us", "-1us", "9 us", "nanus", "infs", "9min"}) {
    refuse({"--solver", "cupy-cg", "--host-call", time},
           "--host-call " + std::string(time) +
               ": expected a time of at least 0 in us, ms or s, as 9us");
  }
  refuse({"--solver", "cg", "--host-call", "9us"},
         "--host-call 9us: of a solver that a library carries out; leave it out");
  refuse({"--host-call", "9us"}, "--host-call is of a solver by its name or file; give one");
  refuse({"--solver", "cupy-cg", "--launch", "graph"},
         "--launch graph: cupy-cg is carried out by CuPy 14, which calls its kernels one by one");
  refuse({"--solver", "cupy-cg", "--devices", "2"},
         "--devices 2: cupy-cg is carried out by CuPy 14, which is forecast on one");
  refuse({"--solver", "cupy-cg", "--layout", "dia"},
         "--layout dia: cupy-cg is carried out by CuPy 14, which is forecast in csr");
  expect_refusal(run_program({"predict", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores",
                              "--solver", "cupy-cg"}),
                 "--solver cupy-cg: profile amd-epyc-zen4-2cores is of a CPU, which CuPy 14 is "
                 "not forecast on");
}

TEST_F(LibrarySolver, IsDescribedInAFileOfOnesOwn) {
  std::string text = read_file(std::string(SPARSECAST_SOURCE_DIR) + "/schedules/petsc-cg.json");
  const std::string name = "\"petsc-cg\"";
  text.replace(text.find(name), name.size(), "\"mine\"");
  write_file(file("mine.json"), text);
  const ProgramRun result = predict({"--schedule", file("mine.json"), "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output)["predictions"][0]["library"]["waits"], 3);
  EXPECT_NE(result.errors.find("mine: nobody has held forecasts against PETSc"), std::string::npos);

  const std::string word = "\"vectors\": \"cublas\"";
  text.replace(text.find(word), word.size(), "\"vectors\": \"blas\"");
  write_file(file("mine.json"), text);
  const ProgramRun wrong = predict({"--schedule", file("mine.json")});
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_NE(wrong.errors.find("mine.json: execution.vectors: unknown 'blas'"), std::string::npos)
      << wrong.errors;
}

}  // namespace
}  // namespace sparsecast::testing
