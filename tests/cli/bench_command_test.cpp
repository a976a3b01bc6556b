#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/file_output.hpp"
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

/// Samples as `bench --csv` writes them: two mappings and our kernel on one matrix.
constexpr const char* mapping_samples =
    "device,matrix,unknowns,nonzeros,precision,kernel,block_size,mapping,storage,row_order,"
    "threads_per_block,blocks_at_once,block_elements,stored_elements,bytes,cache,seconds,"
    "relative_spread\n"
    "a GPU,grid_1,100,460,f32,default,1,,,natural,0,0,460,460,4480,hot,2e-06,0.01\n"
    "a GPU,grid_1,100,460,f32,paper,2,warp,plain,natural,256,1,720,720,5000,hot,4e-06,0.01\n"
    "a GPU,grid_1,100,460,f32,paper,2,multiple-block-rows,reordered,sorted,256,1,720,800,5400,hot,"
    "3e-06,0.02\n";

TEST(BenchCommand, DrawsMappingsThatWereMeasuredBefore) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  write_file(csv, mapping_samples);

  const ProgramRun result = run_program({"bench", "spmv", "--from", csv.string(), "--json", "--csv",
                                         (folder.path() / "again.csv").string(), "--figure2",
                                         (folder.path() / "2.svg").string(), "--figure9",
                                         (folder.path() / "9.svg").string()});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto rows = nlohmann::json::parse(result.output);
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[1]["mapping"], "warp");
  EXPECT_NEAR(rows[2]["raw_gflops"].get<double>(), 0.48, 1e-9);
  EXPECT_EQ(read_file(folder.path() / "again.csv"), mapping_samples);
  EXPECT_NE(read_file(folder.path() / "2.svg").find("N = 2, f32"), std::string::npos);
  EXPECT_NE(read_file(folder.path() / "9.svg").find("grid_1"), std::string::npos);
}

TEST(BenchCommand, RefusesSamplesThatAreNone) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  const auto refusal = [&](const std::string& content) {
    write_file(csv, content);
    const ProgramRun result = run_program({"bench", "spmv", "--from", csv.string()});
    EXPECT_EQ(result.exit_status, 1);
    return result.errors;
  };
  const std::string good = mapping_samples;
  EXPECT_NE(refusal("matrix,seconds\n").find("mappings.csv, line 1: no header"), std::string::npos);
  EXPECT_NE(refusal(good + "a,b\n").find("line 5: 2 columns; expected 18"), std::string::npos);
  EXPECT_NE(refusal(good.substr(0, good.size() - 5) + "x\n").find("line 4: 'x' is no number"),
            std::string::npos);
}

TEST(BenchCommand, MeasuresMappingsOnGpusOnly) {
  EXPECT_EQ(run_program({"bench", "spmv", "--mappings"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--mappings", "--device", "cuda:x"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "cg", "--mappings", "--device", "cuda:0"}).exit_status, 2);
}

}  // namespace
}  // namespace sparsecast::testing
