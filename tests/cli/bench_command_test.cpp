#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/generators.hpp"
#include "core/matrix_market.hpp"

namespace sparsecast::testing {
namespace {

TEST(BenchCommand, MeasuresEveryLayoutOfAFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  write_matrix_market(file, laplacian(5, 40, 40).view());

  const ProgramRun result =
      run_program({"bench", "spmv", file.string(), "--precision", "f32", "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto rows = nlohmann::json::parse(result.output);
  std::set<std::string> layouts;
  for (const auto& row : rows) {
    layouts.insert(row["layout"]);
    EXPECT_EQ(row["matrix"], "grid.mtx");
    EXPECT_EQ(row["precision"], "f32");
    EXPECT_GT(row["seconds"].get<double>(), 0);
    EXPECT_GE(row["raw_gflops"].get<double>(), row["effective_gflops"].get<double>());
  }
  EXPECT_EQ(layouts, (std::set<std::string>{"csr", "bcsr2", "bcsr3", "bcsr4", "bcsr6", "bcsr8"}));
}

TEST(BenchCommand, PrintsATableForPeople) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  write_matrix_market(file, laplacian(5, 20, 20).view());

  const ProgramRun result = run_program({"bench", "spmv", file.string()});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("GB/s"), std::string::npos);
  EXPECT_NE(result.output.find("bcsr8"), std::string::npos);
}

TEST(BenchCommand, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_program({"bench"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "gemm"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--precision", "f16"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--threads", "-1"}).exit_status, 2);

  const ProgramRun missing = run_program({"bench", "spmv", "no_such.mtx"});
  EXPECT_EQ(missing.exit_status, 1);
  EXPECT_NE(missing.errors.find("no_such.mtx"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
