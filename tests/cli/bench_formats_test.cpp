#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"

namespace sparsecast::testing {
namespace {

ProgramRun bench_formats(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "formats"});
  return run_program(arguments);
}

const std::vector<std::string> small{"--set", "structured", "--scale",
                                     "0.01",  "--layout",   "csr,dia"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BenchFormats, MeasuresTheStructuredSetInBothPrecisions) {
  const ProgramRun result = bench_formats(with(small, {"--device", "cpu", "--json"}));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  std::set<std::string> cases;
  const nlohmann::json output = nlohmann::json::parse(result.output);
  for (const auto& row : output["measurements"]) {
    cases.insert(row["matrix"].get<std::string>() + ' ' + row["precision"].get<std::string>() +
                 ' ' + row["layout"].get<std::string>());
    EXPECT_GT(row["seconds"].get<double>(), 0);
    EXPECT_GT(row["gflops"].get<double>(), 0);
    const bool is_dia = row["layout"] == "dia";
    const double value = row["precision"] == "f32" ? 4 : 8;
    const std::map<std::string, double> sizes{{"Laplace 3pt", 10000},
                                              {"Laplace 5pt", 10000},
                                              {"Laplace 7pt", 22 * 22 * 22},
                                              {"Laplace 9pt", 10000},
                                              {"Laplace 27pt", 22 * 22 * 22}};
    EXPECT_EQ(row["rows"].get<double>(), sizes.at(row["matrix"].get<std::string>()));
    // Table 1, and padding or offsets.
    const double per_flop = is_dia ? value : value + 2;
    EXPECT_GT(row["bytes_per_flop"].get<double>(), per_flop);
    EXPECT_LT(row["bytes_per_flop"].get<double>(), 1.5 * per_flop);
    EXPECT_EQ(row["bytes"].get<double>() - row["stored_bytes"].get<double>(),
              2 * value * row["rows"].get<double>());
  }
  EXPECT_EQ(cases.size(), 5u * 2 * 2);
}

TEST(BenchFormats, WritesMeasurementsThatMakeTheSameTablesAgain) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "formats.csv").string();
  const std::string again = (folder / "again.csv").string();
  const ProgramRun measured =
      bench_formats(with(small, {"--device", "cpu", "--precision", "f64", "--csv", csv}));
  ASSERT_EQ(measured.exit_status, 0) << measured.errors;
  const ProgramRun read = bench_formats({"--from", csv, "--csv", again});
  ASSERT_EQ(read.exit_status, 0) << read.errors;
  EXPECT_EQ(read_text(again), read_text(csv));
  EXPECT_EQ(read.output, measured.output);
  std::string text = read.output;
  std::ranges::replace(text, '\n', ' ');  // titles may have several lines
  for (const char* word : {"Laplace 27pt x 0.01", "f64: GFlop/s", "GB/s, each array once",
                           "Table 1", "B19 (5.3)", "not comparable, no GPU was measured"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  const ProgramRun markdown = bench_formats({"--from", csv, "--markdown"});
  EXPECT_NE(markdown.output.find("| matrix | csr | dia |\n|---|---|---|\n| Laplace 3pt x 0.01 | "),
            std::string::npos)
      << markdown.output;
  EXPECT_NE(markdown.output.find("| B19 | 5.3 | "), std::string::npos);
}

TEST(BenchFormats, DrawsWhatWasMeasuredByMatrixAndLayout) {
  const TemporaryFolder folder;
  const std::string chart = (folder / "formats.svg").string();
  const std::string csv =
      std::string(SPARSECAST_SOURCE_DIR) + "/docs/benchmarks/h100/bell_garland.csv";
  const ProgramRun result = bench_formats({"--from", csv, "--chart", chart});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string drawn = read_text(chart);
  // A panel for each set, precision and device, and a label for each layout with a bar.
  for (const char* text :
       {"f32, structured", "f64, structured", "f32, unstructured", "f64, unstructured",
        "NVIDIA H100", "Xeon", "Laplace 27pt", "Wind Tunnel", "csr-vector", "cublas-gemv"}) {
    EXPECT_NE(drawn.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(drawn.find("csr-adaptive"), std::string::npos);
}

TEST(BenchFormats, SaysWhereNothingIsToBeDrawn) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "formats.csv").string();
  const std::string chart = (folder / "formats.svg").string();
  ASSERT_EQ(bench_formats({"--set", "structured", "--scale", "0.001", "--layout", "cusparse",
                           "--device", "cpu", "--csv", csv})
                .exit_status,
            0);
  const ProgramRun result = bench_formats({"--from", csv, "--chart", chart});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "sparsecast bench: " + chart + ": nothing was measured that it draws\n");
}

TEST(BenchFormats, KeepsWhyALayoutWasNotMeasured) {
  const ProgramRun result =
      bench_formats({"--set", "structured", "--scale", "0.001", "--layout", "cusparse,csr",
                     "--precision", "f64", "--device", "cpu", "--csv", "-"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(",cusparse,l1,0,0,0,0,0,0,0,,,,"), std::string::npos)
      << result.output;
  EXPECT_NE(result.errors.find("GFlop/s"), std::string::npos);
}

TEST(BenchFormats, RefusesWhatItCannotMeasureInALine) {
  const auto refusal = [](const std::vector<std::string>& arguments, int status) {
    const ProgramRun result = bench_formats(arguments);
    EXPECT_EQ(result.exit_status, status) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  EXPECT_NE(refusal({"--chart", "formats.bmp"}, 2).find("formats.bmp"), std::string::npos);
  EXPECT_NE(refusal({"--layout", "dai"}, 2).find("did you mean 'dia'"), std::string::npos);
  EXPECT_NE(refusal({"--set", "sparse"}, 2).find("expected structured, unstructured or both"),
            std::string::npos);
  EXPECT_NE(refusal({"--set", "structured,structured"}, 2).find("twice"), std::string::npos);
  EXPECT_NE(refusal({"--scale", "0"}, 2).find("--scale 0: expected 0.001 to 64"),
            std::string::npos);
  EXPECT_NE(refusal({"--scale", "1,x"}, 2).find("--scale 1,x"), std::string::npos);
  EXPECT_NE(refusal({"--set", "unstructured", "--scale", "2"}, 2).find("structured set"),
            std::string::npos);
  EXPECT_NE(refusal({"--set", "structured", "--folder", "."}, 2).find("unstructured set"),
            std::string::npos);
  EXPECT_NE(refusal({"--folder", "no/such/folder"}, 1).find("no folder"), std::string::npos);
  EXPECT_NE(refusal({"--x", "l2"}, 2).find("--x: is of GPUs"), std::string::npos);
  EXPECT_NE(refusal({"--x", "l3", "--device", "cuda:0"}, 2).find("expected l1, l2 or both"),
            std::string::npos);
  EXPECT_NE(refusal({"--device", "gpu"}, 2).find("--device gpu: expected cpu"), std::string::npos);
  EXPECT_NE(refusal({"--precision", "f16"}, 2).find("f16"), std::string::npos);
  EXPECT_NE(refusal({"a.mtx"}, 2).find("MATRIX: does nothing with formats"), std::string::npos);
  EXPECT_NE(refusal({"--mappings"}, 2).find("with formats"), std::string::npos);
  EXPECT_NE(refusal({"--from", "a.csv", "--set", "structured"}, 2).find("with --from"),
            std::string::npos);
  EXPECT_NE(refusal({"--json", "--markdown"}, 2).find("leave one out"), std::string::npos);
  for (const char* what : {"spmv", "cg"}) {
    for (const auto& [option, value] : {std::pair{"--scale", "1"}, {"--chart", "a.svg"}}) {
      const ProgramRun result = run_program({"bench", what, option, value});
      EXPECT_EQ(result.exit_status, 2);
      EXPECT_NE(result.errors.find("it is of formats"), std::string::npos) << result.errors;
    }
  }
}

TEST(BenchFormats, RefusesFilesThatItDidNotWrite) {
  const TemporaryFolder folder;
  const std::string csv = (folder / "formats.csv").string();
  ASSERT_EQ(bench_formats({"--set", "structured", "--scale", "0.001", "--layout", "csr",
                           "--precision", "f64", "--csv", csv})
                .exit_status,
            0);
  const std::string good = read_text(csv);
  const auto refusal = [&](const std::string& content) {
    write_file(csv, content);
    const ProgramRun result = bench_formats({"--from", csv});
    EXPECT_EQ(result.exit_status, 1) << result.output;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  const auto with_text = [&](const std::string& from, const std::string& to) {
    std::string changed = good;
    return changed.replace(changed.find(from), from.size(), to);
  };
  const std::string header = good.substr(0, good.find('\n') + 1);
  EXPECT_NE(refusal("").find("no measurements"), std::string::npos);
  EXPECT_NE(refusal(header).find("no measurements"), std::string::npos);
  EXPECT_NE(refusal("a,b\n").find("line 1: no header of formats"), std::string::npos);
  EXPECT_NE(refusal(good + "a,b\n").find("line 7: 2 columns; expected 25"), std::string::npos);
  EXPECT_NE(refusal(good + good).find("line 7"), std::string::npos);
  EXPECT_NE(refusal(with_text("\nstructured", "\nodd")).find("line 2: 'odd'; expected structured"),
            std::string::npos);
  EXPECT_NE(refusal(with_text("generated,0.001", "generated,-1")).find("line 2: '-1' is no number"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",2998,", ",0,")).find("line 2: a product of nothing"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",2998,", ",2998.5,")).find("'2998.5' is no count"),
            std::string::npos);
  EXPECT_NE(refusal(with_text(",l1,", ",l3,")).find("'l3'; expected l1 or l2"), std::string::npos);
  EXPECT_EQ(bench_formats({"--from", (folder / "none.csv").string()}).exit_status, 1);
}

TEST(SlowBenchFormats, TakesFilesInPlaceOfStandIns) {
  const TemporaryFolder folder;
  write_file(folder / "mc2depi.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 1\n3 3 1\n1 3 2\n");
  // Slack columns are the last two.
  write_file(folder / "rail4284.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 5 7\n1 1 1\n2 1 1\n1 2 1\n1 3 1\n"
             "2 3 1\n1 4 1\n2 5 1\n");
  const ProgramRun result =
      bench_formats({"--set", "unstructured", "--layout", "csr", "--precision", "f32", "--folder",
                     folder.path().string(), "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto rows = nlohmann::json::parse(result.output)["measurements"];
  EXPECT_EQ(rows.size(), 15u);
  for (const auto& row : rows) {
    if (row["matrix"] == "Epidemiology") {
      EXPECT_EQ(row["source"], "mc2depi.mtx");
      EXPECT_EQ(row["nonzeros"], 4);
    } else if (row["matrix"] == "LP") {
      EXPECT_EQ(row["source"], "rail4284.mtx");
      EXPECT_EQ(row["columns"], 3);
      EXPECT_EQ(row["nonzeros"], 5);
    } else if (row["matrix"] == "Dense" || row["matrix"] == "dense 30K x 128") {
      EXPECT_EQ(row["source"], "generated");
    } else {
      EXPECT_EQ(row["source"], "stand-in");
    }
  }
}

}  // namespace
}  // namespace sparsecast::testing
