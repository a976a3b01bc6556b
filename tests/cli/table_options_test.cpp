#include <gtest/gtest.h>

#include <algorithm>
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

using Arguments = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The widest line of a table: not of sentences, which have no columns.
std::size_t widest_table_line(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.find("  ") != std::string::npos) most = std::max(most, line.size());
  }
  return most;
}

/// inspect, bench and validate have what predict and advise have.
class TableOptions : public ::testing::Test {
 protected:
  TableOptions() {
    write_matrix_market(grid_, laplacian(5, 20, 20).view(), {.symmetric = true});
    validate_ = {"validate",  grid_,        "--profile",  "amd-epyc-zen4-2cores", "--layout",
                 "csr,bcsr2", "--schedule", "fused,spmv", "--seconds-per-case",   "0.01"};
    bench_ = {"bench", "spmv", grid_, "--layout", "csr,bcsr2"};
  }
  ProgramRun with(Arguments arguments, const Arguments& more) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result;
  }

  TemporaryFolder folder_;
  const std::string grid_ = (folder_ / "grid.mtx").string();
  const Arguments inspect_{"inspect", grid_, "--devices", "2"};
  Arguments validate_;
  Arguments bench_;
};

TEST_F(TableOptions, OfAValidationFitIntoATerminalUnlessAskedForMore) {
  const std::string plain = with(validate_, {}).output;
  EXPECT_LE(widest_table_line(plain), 100u) << plain;
  EXPECT_NE(plain.find("(--wide: "), std::string::npos) << plain;
  const std::string wide = with(validate_, {"--wide"}).output;
  EXPECT_GT(widest_table_line(wide), 100u);
  EXPECT_EQ(wide.find("(--wide: "), std::string::npos);
}

TEST_F(TableOptions, PrintMarkdown) {
  const std::string of_validate = with(validate_, {"--markdown"}).output;
  EXPECT_NE(of_validate.find("| matrix | unknowns | nonzeros | order | "), std::string::npos);
  EXPECT_NE(of_validate.find("|---|---|"), std::string::npos);
  EXPECT_NE(of_validate.find("| of the run | value |\n|---|---|\n"), std::string::npos);
  EXPECT_NE(of_validate.find("| profile | amd-epyc-zen4-2cores |\n"), std::string::npos);
  const std::string of_inspect = with(inspect_, {"--markdown"}).output;
  EXPECT_NE(of_inspect.find(" nonzeros\n\n| property | value |\n|---|---|\n"), std::string::npos)
      << of_inspect;
  EXPECT_NE(of_inspect.find("| symmetric | pattern and values |\n"), std::string::npos);
  EXPECT_NE(of_inspect.find("| block | block rows | "), std::string::npos) << of_inspect;
  EXPECT_NE(of_inspect.find("| device | rows | "), std::string::npos) << of_inspect;
  EXPECT_NE(of_inspect.find("| largest / mean | rows "), std::string::npos) << of_inspect;
  const std::string of_bench = with(bench_, {"--markdown"}).output;
  EXPECT_NE(of_bench.find("| matrix | layout | time | "), std::string::npos) << of_bench;
}

TEST_F(TableOptions, WriteALineForEachMeasurement) {
  const std::string csv = (folder_ / "rows.csv").string();
  for (const char* what : {"spmv", "cg"}) {
    Arguments bench = bench_;
    bench[1] = what;
    with(bench, {"--csv", csv});
    const std::vector<std::string> lines = lines_of(read_file(csv));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].starts_with("matrix,layout,precision,seconds,")) << lines[0];
    EXPECT_TRUE(lines[1].starts_with("grid,csr,f64,")) << lines[1];
    EXPECT_TRUE(lines[2].starts_with("grid,bcsr2,f64,")) << lines[2];
  }
}

TEST_F(TableOptions, WriteALineOfAMatrix) {
  const std::string csv = (folder_ / "matrix.csv").string();
  with(inspect_, {"--csv", csv});
  const std::vector<std::string> lines = lines_of(read_file(csv));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("matrix,rows,columns,nonzeros,")) << lines[0];
  EXPECT_NE(lines[0].find(",row_length.mean,"), std::string::npos) << lines[0];
  EXPECT_TRUE(lines[1].starts_with(grid_ + ",400,400,1920,")) << lines[1];
}

TEST_F(TableOptions, WriteTheMatrixAndTheEndsOfIntervalsOfAForecast) {
  const std::string csv = (folder_ / "rows.csv").string();
  with({"predict", grid_, "--profile", "nvidia-h200"}, {"--csv", csv});
  const std::string head = lines_of(read_file(csv)).at(0) + ',';
  EXPECT_TRUE(head.starts_with("matrix,profile,")) << head;
  for (const char* column : {",interval_seconds.low,", ",interval_seconds.high,"}) {
    EXPECT_NE(head.find(column), std::string::npos) << head;
  }
  EXPECT_NE(head.find(",against_best."), std::string::npos) << head;
  EXPECT_EQ(head.find(",against_best,"), std::string::npos) << head;
}

TEST_F(TableOptions, OfAComparisonOfProfilesFitIntoATerminalUnlessAskedForMore) {
  const Arguments map{"map",       grid_,
                      "--profile", "nvidia-h200",
                      "--profile", "nvidia-h100",
                      "--profile", "amd-epyc-zen4-2cores",
                      "--out",     (folder_ / "map.csv").string()};
  EXPECT_LE(widest_table_line(with(map, {}).output), 100u);
  EXPECT_GT(widest_table_line(with(map, {"--wide"}).output), 100u);
}

TEST_F(TableOptions, CutLongNamesOfFilesSoThatTablesFit) {
  const std::string name(96, 'n');
  const std::string path = (folder_ / (name + ".mtx")).string();
  write_matrix_market(path, laplacian(5, 20, 20).view(), {.symmetric = true});
  const std::string map = (folder_ / "map.csv").string();
  Arguments validate = validate_;
  validate[1] = path;
  for (const Arguments& command : std::vector<Arguments>{
           {"bench", "spmv", path, "--layout", "csr,bcsr2"},
           {"bench", "cg", path, "--layout", "csr"},
           {"map", path, "--profile", "nvidia-h200", "--out", map},
           {"map", path, "--profile", "nvidia-h200", "--profile", "nvidia-h100", "--out", map},
           validate}) {
    const std::string plain = with(command, {}).output;
    EXPECT_LE(widest_table_line(plain), 100u) << plain;
    EXPECT_NE(plain.find("nn..nn"), std::string::npos) << plain;
    EXPECT_NE(plain.find("whole names)"), std::string::npos) << plain;
    EXPECT_NE(with(command, {"--wide"}).output.find(name + "  "), std::string::npos) << plain;
  }
}

TEST_F(TableOptions, KeepTheColumnsThatTellRowsApart) {
  const auto head_of_cases = [&](const std::string& devices) {
    const std::string text = with(validate_, {"--devices", devices}).output;
    EXPECT_LE(widest_table_line(text), 100u) << text;
    const std::vector<std::string> lines = lines_of(text);
    return *std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("matrix  "); });
  };
  EXPECT_EQ(head_of_cases("1").find("devices"), std::string::npos);
  EXPECT_NE(head_of_cases("1,2").find("  devices  "), std::string::npos);
  EXPECT_NE(head_of_cases("1,2").find("  precision  "), std::string::npos);
}

TEST_F(TableOptions, OfReportsOfStoredRunsFitIntoATerminalAndSoDoTheirSentences) {
  const std::string docs = SPARSECAST_SOURCE_DIR "/docs/";
  for (const Arguments& command : std::vector<Arguments>{
           {"validate", "--from", docs + "validation/nvidia-h100-compared.csv.gz"},
           {"validate", "--from", docs + "validation/nvidia-h200-x4.csv.gz", "--profile",
            "nvidia-h200"},
           {"bench", "fusion", "--from", docs + "benchmarks/h200/pipelined.csv"},
           {"bench", "blocks", "--from", docs + "benchmarks/h100/number_cruncher.csv"}}) {
    for (const std::string& line : lines_of(with(command, {}).output)) {
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

TEST_F(TableOptions, InMarkdownStandBehindEmptyLinesAndNamesAreNoMarkup) {
  const std::string path = (folder_ / "a_b*c.mtx").string();
  write_matrix_market(path, laplacian(5, 20, 20).view(), {.symmetric = true});
  Arguments validate = validate_;
  validate[1] = path;
  for (const Arguments& command : std::vector<Arguments>{
           {"predict", path, "--profile", "nvidia-h200", "--devices", "1,2", "--explain"},
           {"inspect", path, "--devices", "3"},
           {"bench", "spmv", path, "--layout", "csr"},
           {"map", path, "--profile", "nvidia-h200", "--out", (folder_ / "map.csv").string()},
           validate}) {
    const std::vector<std::string> lines = lines_of(with(command, {"--markdown"}).output);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (!lines[i].starts_with("| ") || lines[i - 1].starts_with("|")) continue;
      EXPECT_EQ(lines[i - 1], "") << command[0] << ": " << lines[i];
    }
    for (const std::string& line : lines) {
      if (line.starts_with("|")) continue;
      EXPECT_EQ(line.find("a_b*c"), std::string::npos) << line;
    }
  }
  const std::string subject =
      with({"predict", path, "--profile", "nvidia-h200"}, {"--markdown"}).output;
  EXPECT_NE(subject.find("a\\_b\\*c.mtx: 400 unknowns, 1 920 nonzeros\n\nprofile nvidia-h200"),
            std::string::npos)
      << subject;
}

/// The longest names of profiles, layouts and solvers beside all that tells forecasts apart.
TEST_F(TableOptions, OfForecastsFitIntoATerminalWithTheLongestNames) {
  const std::string estimated = (folder_ / "estimated-h100-pcie.json").string();
  with({"calibrate", "--like", "nvidia-h100", "--gpu", "h100-pcie", "--out", estimated}, {});
  const Arguments common{grid_,
                         "--profile",
                         "nvidia-h100",
                         "--profile",
                         estimated,
                         "--solver",
                         "chronopoulos-gear,cg",
                         "--precondition",
                         "jacobi,block-jacobi8"};
  Arguments predict{"predict", "--devices", "1,2", "--renumber", "none,random"};
  predict.insert(predict.end(), common.begin(), common.end());
  Arguments advise{"advise", "--profile", "intel-xeon-h200-host-2cores"};
  advise.insert(advise.end(), common.begin(), common.end());
  const auto expect_fit = [this](Arguments command, const Arguments& more) {
    command.insert(command.end(), more.begin(), more.end());
    const std::string plain = with(command, {}).output;
    EXPECT_LE(widest_table_line(plain), 100u) << plain;
    bool cut = false;  // said below the table
    for (const std::string& line : lines_of(plain)) {
      if (line.starts_with("(--wide: ")) {
        EXPECT_LE(line.size(), 100u);
      }
      if (line.ends_with(" whole names)")) cut = true;
    }
    EXPECT_TRUE(cut) << plain;
    EXPECT_NE(plain.find(".."), std::string::npos) << plain;
    const std::string wide = with(command, {"--wide"}).output;
    EXPECT_GT(widest_table_line(wide), 100u);
    EXPECT_NE(wide.find("chronopoulos-gear-block-jacobi8  "), std::string::npos) << wide;
    EXPECT_EQ(wide.find("whole names"), std::string::npos) << wide;
  };
  expect_fit(predict, {});
  expect_fit(predict, {"--iterations", "1000"});
  expect_fit(predict, {"--precision", "f32"});
  expect_fit(predict, {"--rtol", "1e-6"});
  expect_fit(predict, {"--rtol", "1e-6", "--layout", "csr,bcsr2"});
  expect_fit(advise, {"--rtol", "1e-6"});
}

TEST_F(TableOptions, CompressWhatIsWrittenByItsName) {
  const std::string csv = (folder_ / "rows.csv.gz").string();
  with({"predict", grid_, "--profile", "nvidia-h200"}, {"--csv", csv});
  EXPECT_TRUE(read_file(csv).starts_with("\x1f\x8b"));
}

TEST_F(TableOptions, PrintTablesElsewhereWhereLinesGoToStandardOutput) {
  for (const Arguments& command : {inspect_, bench_}) {
    const ProgramRun result = with(command, {"--csv", "-"});
    EXPECT_TRUE(result.output.starts_with("matrix,")) << result.output;
    EXPECT_NE(result.errors.find("nonzeros\n"), result.errors.find("GFlop/s raw"));
  }
}

TEST_F(TableOptions, AreOneAtATime) {
  for (Arguments command : {inspect_, bench_, validate_}) {
    Arguments both = command;
    both.insert(both.end(), {"--wide", "--markdown"});
    EXPECT_NE(run_program(both).errors.find("expected one of them"), std::string::npos);
    command.insert(command.end(), {"--wide", "--json"});
    const ProgramRun json = run_program(command);
    EXPECT_EQ(json.exit_status, 2);
    EXPECT_NE(json.errors.find("--wide: --json prints no tables; leave one out"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace sparsecast::testing
