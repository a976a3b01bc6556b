#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"

namespace sparsecast::testing {
namespace {

ProgramRun bench_fusion(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "fusion"});
  return run_program(arguments);
}

std::vector<std::string> small(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--size", "100,1000", "--basis", "1,20"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json measured(const std::vector<std::string>& more) {
  const ProgramRun result = bench_fusion(small(more));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return nlohmann::json::parse(result.output);
}

TEST(BenchFusion, MeasuresIterationsStepsAndSolvesInEverySize) {
  const nlohmann::json output = measured({"--json"});
  std::map<std::string, int> counts;
  for (const auto& row : output["measurements"]) {
    ++counts[row["what"].get<std::string>()];
    EXPECT_EQ(row["precision"], "f64");
    EXPECT_EQ(row.count("reason"), 0u) << row.dump();
    EXPECT_GT(row["seconds"].get<double>(), 0) << row.dump();
  }
  // Two sizes, three solvers; two steps of two bases in one size and of one in the other; 1, 2, 4,
  // 7, 8, 16 and 20 dot products a pass; grids and elasticity.
  EXPECT_EQ(counts["iteration"], 2 * 3);
  EXPECT_EQ(counts["gram-schmidt"], 2 * 3);
  EXPECT_EQ(counts["dots"], 7);
  EXPECT_EQ(counts["solve"], 2 * 2 * 3);
  EXPECT_EQ(counts.size(), 4u);
  EXPECT_EQ(output["statements"].size(), 7u);
}

TEST(BenchFusion, CountsWhatSchedulesDo) {
  const nlohmann::json output = measured({"--json"});
  for (const auto& row : output["measurements"]) {
    const std::string solver = row.value("solver", "");
    if (row["what"] == "iteration" && solver == "six-kernels") {
      EXPECT_EQ(row["kernels"], 6);
      EXPECT_EQ(row["sums"], 2);
      EXPECT_EQ(row["waits"], 2);
      EXPECT_EQ(row["values_per_unknown"], 14);
    }
    if (row["what"] == "iteration" && solver == "pipelined-cg") {
      EXPECT_EQ(row["waits"], 1);
    }
    if (row["what"] != "gram-schmidt") continue;
    const int basis = row["basis"];
    EXPECT_EQ(row["values_per_unknown"], solver == "gmres" ? 2 * basis + 3 : 5 * basis);
    EXPECT_EQ(row["kernels"], solver == "gmres" ? 2 : 2 * basis);
  }
}

TEST(BenchFusion, CountsDotProductsByPasses) {
  const nlohmann::json output = measured({"--json"});
  for (const auto& row : output["measurements"]) {
    if (row["what"] != "dots") continue;
    const int passes = (20 + row["dots_per_pass"].get<int>() - 1) / row["dots_per_pass"].get<int>();
    EXPECT_EQ(row["kernels"], passes);
    EXPECT_EQ(row["values_per_unknown"], 20 + passes);
    // Each pass reads w again.
    EXPECT_EQ(row["bytes"], 8.0 * 1000 * (20 + passes));
  }
}

TEST(BenchFusion, SolvesTheSystemsToTheSameResidualByAllSolvers) {
  const nlohmann::json output = measured({"--json"});
  std::map<std::string, int> iterations;
  for (const auto& row : output["measurements"]) {
    if (row["what"] != "solve") continue;
    EXPECT_EQ(row["outcome"], "converged");
    EXPECT_LE(row["residual"].get<double>(), 2e-8);
    iterations[row["matrix"].get<std::string>() + row["size"].dump() +
               row["solver"].get<std::string>()] = row["iterations"];
  }
  // Jacobi's preconditioner does nothing where the diagonal is constant.
  EXPECT_NEAR(iterations.at("grid1000six-kernels"), iterations.at("grid1000fused"), 1);
  EXPECT_NEAR(iterations.at("grid1000six-kernels"), iterations.at("grid1000pipelined-cg"), 1);
  EXPECT_GT(iterations.at("grid1000six-kernels"), 20);
}

TEST(BenchFusion, SolvesTheFilesOfAFolderThatConjugateGradientsCan) {
  const TemporaryFolder folder;
  const std::string files = (folder / "files").string();
  std::filesystem::create_directory(files);
  write_file(files + "/spd.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 2 3\n3 3 4\n"
             "2 1 -1\n3 2 -1\n");
  write_file(files + "/skewed.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 2\n1 2 1\n");
  write_file(files + "/negative.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 -2\n");
  write_file(files + "/wide.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2\n2 2 2\n");
  const nlohmann::json output = measured({"--folder", files, "--json"});
  std::map<std::string, std::string> how;
  for (const auto& row : output["measurements"]) {
    if (row["what"] != "solve") continue;
    how[row["matrix"]] = row.count("reason") > 0 ? row["reason"] : row["outcome"];
  }
  EXPECT_EQ(how, (std::map<std::string, std::string>{{"spd", "converged"},
                                                     {"skewed", "not symmetric"},
                                                     {"negative", "no positive diagonal"},
                                                     {"wide", "not square"}}));
}

TEST(BenchFusion, WritesMeasurementsThatMakeTheSameTablesAgain) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "fusion.csv").string();
  const std::string again = (folder / "again.csv").string();
  const ProgramRun run = bench_fusion(small({"--precision", "both", "--csv", csv}));
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const ProgramRun read = bench_fusion({"--from", csv, "--csv", again});
  ASSERT_EQ(read.exit_status, 0) << read.errors;
  EXPECT_EQ(read_text(again), read_text(csv));
  EXPECT_EQ(read.output, run.output);
  std::string text = read.output;
  std::ranges::replace(text, '\n', ' ');  // titles may have several lines
  for (const char* word :
       {"iterations of conjugate gradients", "gain falls below 1.3", "what an iteration does",
        "Gram-Schmidt steps", "dot products of one vector", "solves to 1e-8", "six-kernels",
        ", f32", "P7 (2)", "not comparable, no GPU was measured"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  const ProgramRun markdown = bench_fusion({"--from", csv, "--markdown"});
  EXPECT_NE(markdown.output.find("| P7 | 2 | "), std::string::npos) << markdown.output;
}

TEST(BenchFusion, DrawsGainsByUnknownsAndByBasis) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "fusion.csv").string();
  const std::string chart = (folder / "fusion.svg").string();
  ASSERT_EQ(bench_fusion(small({"--csv", csv})).exit_status, 0);
  const ProgramRun result = bench_fusion({"--from", csv, "--chart", chart});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string drawn = read_text(chart);
  for (const char* text : {"CG by unknowns", "pipelined-cg", "Gram-Schmidt", "by basis"}) {
    EXPECT_NE(drawn.find(text), std::string::npos) << text;
  }
}

TEST(BenchFusion, RefusesWhatItCannotMeasureInALine) {
  const auto says = [](const std::vector<std::string>& arguments, const std::string& what,
                       int status = 2) {
    const ProgramRun result = bench_fusion(arguments);
    EXPECT_EQ(result.exit_status, status) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    EXPECT_NE(result.errors.find(what), std::string::npos) << result.errors;
  };
  says({"--size", "10"}, "--size 10: expected unknowns, 16 to 1e8");
  says({"--size", "100,x"}, "--size 100,x: expected");
  says({"--size", "100.5"}, "--size 100.5: expected");
  says({"--size", "1000,1e3"}, "--size 1000,1e3: names a size twice");
  says({"--size", ""}, "--size");
  says({"--basis", "0"}, "--basis 0: expected positive whole numbers");
  says({"--basis", "65"}, "--basis 65: expected vectors, 1 to 64");
  says({"--basis", "4,4"}, "twice");
  says({"--basis", "x"}, "--basis");
  says({"--folder", "no/such/folder"}, "no/such/folder", 1);
  says({"--folder", ".", "--precision", "f32"}, "--folder: systems are solved in f64");
  says({"--device", "gpu"}, "--device gpu: expected cpu");
  says({"--chart", "fusion.bmp"}, "fusion.bmp");
  says({"a.mtx"}, "MATRIX: does nothing with fusion");
  says({"--scale", "0.1"}, "--scale: does nothing with fusion: it is of formats and blocks");
  says({"--layout", "csr"}, "--layout: does nothing with fusion");
  says({"--set", "structured"}, "--set: does nothing with fusion");
  says({"--launch", "host"}, "--launch: does nothing with fusion");
  says({"--from", "a.csv", "--size", "100"}, "--size: does nothing with --from");
  says({"--json", "--markdown"}, "leave one out");
}

TEST(BenchFusion, KeepsItsOptionsFromOtherBenchmarks) {
  for (const char* what : {"spmv", "cg", "formats", "blocks"}) {
    for (const char* option : {"--size", "--basis"}) {
      const ProgramRun result = run_program({"bench", what, option, "20"});
      EXPECT_EQ(result.exit_status, 2);
      EXPECT_NE(result.errors.find("it is of fusion"), std::string::npos) << result.errors;
    }
  }
}

TEST(BenchFusion, RefusesFilesThatItDidNotWrite) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "fusion.csv").string();
  ASSERT_EQ(bench_fusion({"--size", "100", "--basis", "1", "--csv", csv}).exit_status, 0);
  const std::string good = read_text(csv);
  const auto refusal = [&](const std::string& content) {
    write_file(csv, content);
    const ProgramRun result = bench_fusion({"--from", csv});
    EXPECT_EQ(result.exit_status, 1) << result.output;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  const auto with_text = [&](const std::string& from, const std::string& to) {
    std::string changed = good;
    return changed.replace(changed.find(from), from.size(), to);
  };
  EXPECT_NE(refusal("").find("no measurements"), std::string::npos);
  EXPECT_NE(refusal("a,b\n").find("line 1: no header of fusion"), std::string::npos);
  EXPECT_NE(refusal(good + "a,b\n").find("2 columns; expected 28"), std::string::npos);
  EXPECT_NE(refusal(with_text("\niteration", "\nstep")).find("line 2: 'step'; expected iteration"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",100,100,", ",100,0,")).find("line 2: a measurement of nothing"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",six-kernels,,", ",six-kernels,fast,")).find("'fast'; expected"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",6,2,2,14,", ",6.5,2,2,14,")).find("'6.5' is no count"),
            std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
