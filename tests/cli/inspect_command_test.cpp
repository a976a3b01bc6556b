#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"

namespace sparsecast::testing {
namespace {

/// Five rows, one explicit zero, symmetric but for one value, no entry (3, 3).
constexpr const char* small_matrix =
    "%%MatrixMarket matrix coordinate real general\n"
    "5 5 9\n"
    "1 1 2.0\n1 2 -1.0\n2 1 -1.5\n2 2 3.0\n3 5 1.0\n4 4 -4.0\n5 3 1.0\n5 5 0.0\n5 4 0.0\n";

std::string write(const TemporaryFolder& folder, const std::string& name,
                  const std::string& content) {
  const std::string path = (folder / name).string();
  std::ofstream(path) << content;
  return path;
}

TEST(InspectCommand, PrintsTables) {
  const TemporaryFolder folder;
  const std::string path = write(folder, "small.mtx", small_matrix);

  const ProgramRun result = run_program({"inspect", path});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output, path + R"(: 5 rows, 5 columns, 9 nonzeros
explicit zeros  2
symmetric       no
diagonal        1 missing, 1 zero, 1 negative
bandwidth       2
row length      min 1, mean 1.80, max 3, standard deviation 0.748

row length  rows
         1     2
    2 to 3     3

block  block rows  blocks  most a row  block elements  density  padded  padded, sorted
1 x 1           5       9           3               9     1.00      15              15
2 x 2           3       5           2              20    0.450      24              24
3 x 3           2       4           2              36    0.250      36              36
4 x 4           2       4           2              64    0.141      64              64
6 x 6           1       1           1              36    0.250      36              36
8 x 8           1       1           1              64    0.141      64              64

vector reuse in   f32   f64
          1 row  1.80  1.50
         5 rows  9.00  4.50
)");
}

TEST(InspectCommand, PrintsJson) {
  const TemporaryFolder folder;
  const std::string path = write(folder, "small.mtx", small_matrix);

  const ProgramRun result = run_program({"inspect", path, "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["file"], path);
  EXPECT_EQ(json["rows"], 5);
  EXPECT_EQ(json["columns"], 5);
  EXPECT_EQ(json["nonzeros"], 9);
  EXPECT_EQ(json["explicit_zeros"], 2);
  EXPECT_EQ(json["row_length"]["min"], 1);
  EXPECT_EQ(json["row_length"]["max"], 3);
  EXPECT_DOUBLE_EQ(json["row_length"]["mean"], 1.8);
  EXPECT_NEAR(json["row_length"]["stddev"], 0.7483, 1e-4);
  EXPECT_EQ(json["row_length"]["histogram"][2],
            (nlohmann::json{{"from", 2}, {"to", 3}, {"rows", 3}}));
  EXPECT_EQ(json["bandwidth"], 2);
  EXPECT_EQ(json["symmetric"], false);
  EXPECT_EQ(json["pattern_symmetric"], false);
  EXPECT_EQ(json["diagonal"], (nlohmann::json{{"missing", 1}, {"zero", 1}, {"negative", 1}}));
  EXPECT_EQ(json["block_density"].size(), 6u);
  // 2 x 2: blocks (0, 0), (1, 1), (1, 2), (2, 1), (2, 2).
  EXPECT_DOUBLE_EQ(json["block_density"]["2"], 9.0 / 20);
  EXPECT_EQ(json["blocks"][1]["block"], 2);
  EXPECT_EQ(json["blocks"][1]["blocks"], 5);
  EXPECT_EQ(json["blocks"][1]["block_elements"], 20);
  EXPECT_EQ(json["blocks"][1]["padded_elements"]["natural"], 24);
  // Rows look up 5 sectors of f32 and 6 of f64 one by one, 1 and 2 together.
  EXPECT_EQ(json["vector_reuse"], (nlohmann::json{{{"rows", 1}, {"f32", 9.0 / 5}, {"f64", 9.0 / 6}},
                                                  {{"rows", 5}, {"f32", 9.0}, {"f64", 9.0 / 2}}}));
}

TEST(InspectCommand, PrintsNoReuseOfAMatrixWithoutEntries) {
  const TemporaryFolder folder;
  const std::string path =
      write(folder, "empty.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n");

  const ProgramRun result = run_program({"inspect", path, "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["vector_reuse"].size(), 0u);
}

TEST(InspectCommand, DropsExplicitZerosWhenAsked) {
  const TemporaryFolder folder;
  const std::string path = write(folder, "small.mtx", small_matrix);

  const ProgramRun result = run_program({"inspect", path, "--json", "--drop-explicit-zeros"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["nonzeros"], 7);
  EXPECT_EQ(json["explicit_zeros"], 0);
  EXPECT_EQ(json["diagonal"]["missing"], 2);
}

TEST(InspectCommand, TakesRectangularMatrices) {
  const TemporaryFolder folder;
  const std::string path = write(folder, "wide.mtx",
                                 "%%MatrixMarket matrix coordinate pattern general\n"
                                 "2 7 3\n1 1\n1 7\n2 5\n");

  const ProgramRun result = run_program({"inspect", path, "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["columns"], 7);
  EXPECT_EQ(json["bandwidth"], 6);
  EXPECT_EQ(json["symmetric"], false);
}

TEST(InspectCommand, RefusesWrongUseWithOneLine) {
  const ProgramRun result = run_program({"inspect"});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "sparsecast inspect: matrix is missing; usage: sparsecast inspect MATRIX [--json] "
            "[--drop-explicit-zeros]\n");
}

TEST(InspectCommand, NamesAFileThatIsNotThere) {
  const ProgramRun result = run_program({"inspect", "/nowhere/a.mtx"});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("/nowhere/a.mtx"), std::string::npos);
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
}

}  // namespace
}  // namespace sparsecast::testing
