#include <gtest/gtest.h>

#include <algorithm>
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

ProgramRun bench_blocks(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "blocks"});
  return run_program(arguments);
}

std::vector<std::string> small(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--scale", "0.001", "--layout", "csr,bcsr2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BenchBlocks, MeasuresProductsInEveryOrderAndSolversInTheFirst) {
  const ProgramRun result = bench_blocks(small({"--renumber", "rcm,random", "--json"}));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  std::map<std::string, int> counts;
  const std::map<std::string, int> components{
      {"parameterization", 2}, {"smoothing", 3}, {"components4", 4}, {"scalar", 1}};
  const nlohmann::json output = nlohmann::json::parse(result.output);
  for (const auto& row : output["measurements"]) {
    const std::string what = row["what"];
    ++counts[what];
    if (what == "history") continue;
    EXPECT_GT(row["seconds"].get<double>(), 0);
    EXPECT_GT(row["bytes"].get<double>(), 0);
    EXPECT_EQ(row["precision"], "f32");
    if (what == "saxpy") continue;
    const std::string problem = row["problem"];
    EXPECT_EQ(row["rows"].get<int>() % components.at(problem), 0);
    if (what == "iteration") {
      EXPECT_EQ(row["order"], "rcm");
      EXPECT_TRUE(row["solver"] == "fused" || row["layout"] == "bcsr4") << row.dump();
      continue;
    }
    // A renumbering leaves blocks whole.
    const bool is_full =
        row["layout"] == "csr" || problem == "parameterization" || problem == "components4";
    EXPECT_EQ(row["stored_elements"] == row["nonzeros"], is_full) << row.dump();
  }
  // Of the largest mesh the two problems of Table 3; no dot products on a CPU.
  constexpr int matrices = 4 * 4 + 2;
  EXPECT_EQ(counts["product"], matrices * 2 * 2);
  EXPECT_EQ(counts["iteration"], matrices * 2);
  EXPECT_EQ(counts["saxpy"], 2);
  EXPECT_GT(counts["history"], 1);
  EXPECT_EQ(counts.size(), 4u);
  EXPECT_EQ(output["statements"].size(), 9u);
}

TEST(BenchBlocks, FollowsBothResiduals) {
  const ProgramRun result =
      bench_blocks({"--scale", "0.003", "--layout", "csr", "--renumber", "none", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const nlohmann::json output = nlohmann::json::parse(result.output);
  std::vector<nlohmann::json> history;
  for (const auto& row : output["measurements"]) {
    if (row["what"] == "history") history.push_back(row);
  }
  ASSERT_GT(history.size(), 4u);
  EXPECT_EQ(history[0]["iterations"], 25);
  EXPECT_EQ(history[1]["iterations"], 50);
  EXPECT_EQ(history[0]["mesh"], "Phlegmatic Dragon");
  const auto of = [](const nlohmann::json& row, const char* residual) {
    return row[residual].get<double>();
  };
  // Alike as long as they are large; then rounding stops the true one.
  EXPECT_NEAR(of(history[0], "recurrence"), of(history[0], "residual"),
              1e-2 * of(history[0], "residual"));
  EXPECT_LT(of(history.back(), "recurrence"), 1e-3 * of(history.back(), "residual"));
}

TEST(BenchBlocks, WritesMeasurementsThatMakeTheSameTablesAgain) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "blocks.csv").string();
  const std::string again = (folder / "again.csv").string();
  const ProgramRun measured = bench_blocks(small({"--renumber", "none", "--csv", csv}));
  ASSERT_EQ(measured.exit_status, 0) << measured.errors;
  const ProgramRun read = bench_blocks({"--from", csv, "--csv", again});
  ASSERT_EQ(read.exit_status, 0) << read.errors;
  EXPECT_EQ(read_text(again), read_text(csv));
  EXPECT_EQ(read.output, measured.output);
  std::string text = read.output;
  std::ranges::replace(text, '\n', ' ');  // titles may have several lines
  for (const char* word : {"Girl Face 4, components4 x 0.001, none", "products: GFlop/s",
                           "our best", "iterations of Jacobi-CG", "vectors", "||b - Ax|| / ||b||",
                           "C9 (3.4)", "not comparable, no GPU was measured"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  const ProgramRun markdown = bench_blocks({"--from", csv, "--markdown"});
  EXPECT_NE(markdown.output.find("| matrix | csr | bcsr2 | our best |\n|---|---|---|---|\n"
                                 "| Girl Face 1, parameterization x 0.001, none | "),
            std::string::npos)
      << markdown.output;
  EXPECT_NE(markdown.output.find("| C9 | 3.4 | "), std::string::npos);
}

TEST(BenchBlocks, DrawsProductsAndSolversByMesh) {
  const TemporaryFolder folder;
  const std::string chart = (folder / "blocks.svg").string();
  const std::string csv =
      std::string(SPARSECAST_SOURCE_DIR) + "/docs/benchmarks/h100/number_cruncher.csv";
  const ProgramRun result = bench_blocks({"--from", csv, "--chart", chart});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string drawn = read_text(chart);
  for (const char* text : {"order of vertices: none", "f32: smoothing", "f32: components4", "Xeon",
                           "Jacobi-CG", "Phlegmatic Dragon", "bcsr4-strips", "CG in calls"}) {
    EXPECT_NE(drawn.find(text), std::string::npos) << text;
  }
}

TEST(BenchBlocks, KeepsWhyALayoutWasNotMeasured) {
  const ProgramRun result = bench_blocks({"--scale", "0.001", "--layout", "cusparse", "--renumber",
                                          "none", "--precision", "f64", "--csv", "-"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(",f64,,cusparse,0,0,0,0,0,0,"), std::string::npos) << result.output;
  EXPECT_NE(result.errors.find("Statements of Buatois"), std::string::npos);
  // Residuals are of f32.
  EXPECT_EQ(result.output.find("\nhistory"), std::string::npos);
}

TEST(BenchBlocks, NamesTheInstructionsThatItUsed) {
  const ProgramRun result =
      bench_blocks(small({"--renumber", "none", "--instructions", "baseline", "--json"}));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const nlohmann::json output = nlohmann::json::parse(result.output);
  const std::string description = output["measurements"][0]["description"];
  EXPECT_TRUE(description.ends_with(", x86-64") || description.ends_with(", baseline"))
      << description;
}

TEST(BenchBlocks, RefusesWhatItCannotMeasureInALine) {
  const auto refusal = [](const std::vector<std::string>& arguments, int status = 2) {
    const ProgramRun result = bench_blocks(arguments);
    EXPECT_EQ(result.exit_status, status) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  const auto says = [&](const std::vector<std::string>& arguments, const std::string& what) {
    const std::string errors = refusal(arguments);
    EXPECT_NE(errors.find(what), std::string::npos) << errors;
  };
  says({"--chart", "blocks.bmp"}, "blocks.bmp");
  says({"--renumber", "metis"}, "--renumber metis: expected none, rcm, random");
  says({"--renumber", "rcm,rcm"}, "twice");
  says({"--renumber", ""}, "--renumber : expected none");
  says({"--dot", "100", "--device", "cuda:0"}, "--dot 100: expected 128, 256");
  says({"--dot", "512,x", "--device", "cuda:0"}, "--dot");
  says({"--dot", "512,512", "--device", "cuda:0"}, "twice");
  says({"--dot", "512"}, "--dot: is of GPUs; add --device cuda:0");
  says({"--scale", "0"}, "--scale 0: expected 0.001 to 64");
  says({"--device", "gpu"}, "--device gpu: expected cpu");
  says({"--precision", "f16"}, "f16");
  says({"--layout", "bcsr5"}, "bcsr5");
  says({"--instructions", "sse3"}, "expected baseline, avx2 or avx512");
  says({"--instructions", "avx2", "--device", "cuda:0"}, "--instructions: is of the CPU");
  says({"--threads", "1", "--device", "cuda:0"}, "--threads: is of the CPU");
  says({"a.mtx"}, "MATRIX: does nothing with blocks");
  says({"--schedule", "fused"}, "with blocks");
  says({"--set", "structured"}, "--set: does nothing with blocks");
  says({"--from", "a.csv", "--renumber", "rcm"}, "with --from");
  says({"--json", "--markdown"}, "leave one out");
  for (const char* what : {"spmv", "cg", "formats"}) {
    for (const char* option : {"--dot", "--renumber"}) {
      const ProgramRun result = run_program({"bench", what, option, "512"});
      EXPECT_EQ(result.exit_status, 2);
      EXPECT_NE(result.errors.find("it is of blocks"), std::string::npos) << result.errors;
    }
  }
}

TEST(BenchBlocks, RefusesFilesThatItDidNotWrite) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "blocks.csv").string();
  ASSERT_EQ(bench_blocks({"--scale", "0.001", "--layout", "csr", "--renumber", "none",
                          "--precision", "f64", "--csv", csv})
                .exit_status,
            0);
  const std::string good = read_text(csv);
  const auto refusal = [&](const std::string& content) {
    write_file(csv, content);
    const ProgramRun result = bench_blocks({"--from", csv});
    EXPECT_EQ(result.exit_status, 1) << result.output;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  const auto with_text = [&](const std::string& from, const std::string& to) {
    std::string changed = good;
    return changed.replace(changed.find(from), from.size(), to);
  };
  EXPECT_NE(refusal("").find("no measurements"), std::string::npos);
  EXPECT_NE(refusal("a,b\n").find("line 1: no header of blocks"), std::string::npos);
  EXPECT_NE(refusal(good + "a,b\n").find("2 columns; expected 28"), std::string::npos);
  EXPECT_NE(refusal(with_text("\nsaxpy", "\naxpy")).find("line 2: 'axpy'; expected product"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",0.001,", ",-1,")).find("line 2: '-1' is no number"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",1049,", ",0,")).find("line 2: a measurement of nothing"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",1049,", ",1.5,")).find("'1.5' is no count"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
