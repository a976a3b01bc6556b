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
explicit zeros   2
symmetric        no
diagonal         1 missing, 1 zero, 1 negative
bandwidth        2
row length       min 1, mean 1.80, max 3, standard deviation 0.748
mean distance    0.778 from the diagonal
neighbours       0.889 of an entry in its row
row similarity   0.600
dia              5 diagonals, 320 stored elements, density 0.0281
csr-adaptive     32 column bytes, 1 row block, 9 stored elements, density 1.00
sell32           96 stored elements, density 0.0938
sell32-sorted512 96 stored elements, density 0.0938
sell128          384 stored elements, density 0.0234

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

TEST(InspectCommand, HasSingulars) {
  const TemporaryFolder folder;
  const std::string path =
      write(folder, "one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  const ProgramRun result = run_program({"inspect", path});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with(path + ": 1 row, 1 column, 1 nonzero\n")) << result.output;
  EXPECT_NE(result.output.find("1 diagonal, 64 stored elements, "), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("1 row block, 1 stored element, "), std::string::npos)
      << result.output;
}

TEST(InspectCommand, PrintsJson) {
  const TemporaryFolder folder;
  const std::string path = write(folder, "small.mtx", small_matrix);

  const ProgramRun result = run_program({"inspect", path, "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["matrix"], path);
  EXPECT_EQ(json["rows"], 5);
  EXPECT_EQ(json["columns"], 5);
  EXPECT_EQ(json["nonzeros"], 9);
  EXPECT_EQ(json["explicit_zeros"], 2);
  EXPECT_EQ(json["row_length"]["min"], 1);
  EXPECT_EQ(json["row_length"]["max"], 3);
  EXPECT_DOUBLE_EQ(json["row_numbers"]["mean_distance"], 7.0 / 9);
  EXPECT_DOUBLE_EQ(json["row_numbers"]["neighbours"], 8.0 / 9);
  EXPECT_NEAR(json["row_numbers"]["row_similarity"], 0.6, 1e-9);
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
  EXPECT_EQ(json["format_counts"]["dia"]["diagonals"], 5);
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
            "sparsecast inspect: matrix is missing; usage: sparsecast inspect MATRIX [--devices N] "
            "[--renumber HOW] [--features FILE] [--json] [--drop-explicit-zeros]\n");
}

/// 128 rows of a chain: each looks up its neighbours.
std::string chain(const TemporaryFolder& folder) {
  const std::string path = (folder / "chain.mtx").string();
  EXPECT_EQ(run_program({"generate", "laplacian", "--points", "3", "--size", "128", "--out", path})
                .exit_status,
            0);
  return path;
}

TEST(InspectCommand, PrintsBalanceAndHaloOfSeveralDevices) {
  const TemporaryFolder folder;

  const ProgramRun result = run_program({"inspect", chain(folder), "--devices", "2"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::size_t begin = result.output.find("2 devices");
  ASSERT_NE(begin, std::string::npos) << result.output;
  EXPECT_EQ(result.output.substr(begin), R"(2 devices, layout csr
device  rows  stored elements  interior  halo received  of vector  halo sent  of vector  neighbours
     0    64              191    50.0 %              1    0.781 %          1    0.781 %           1
     1    64              191    50.0 %              1    0.781 %          1    0.781 %           1
largest / mean rows 1.00, stored elements 1.00, halo received 1.00
whole vector   a device receives at most 64 values, 50.0 % of it
)");
}

TEST(InspectCommand, PrintsWhatManyDevicesHaveInTheMean) {
  const TemporaryFolder folder;
  const std::string path = (folder / "line.mtx").string();
  ASSERT_EQ(run_program({"generate", "laplacian", "--points", "3", "--size", "3200", "--out", path})
                .exit_status,
            0);

  const ProgramRun result = run_program({"inspect", path, "--devices", "100"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::size_t begin = result.output.find("100 devices");
  ASSERT_NE(begin, std::string::npos) << result.output;
  EXPECT_EQ(result.output.substr(begin), R"(100 devices, layout csr
of a device                      least  mean  largest
rows                                32  32.0       32
stored elements                     95  96.0       96
interior rows                        0     0        0
halo received                        1  1.98        2
neighbours                           1  1.98        2
values to the largest neighbour      1  1.00        1
all halos      198 values, 6.19 % of the vector; --wide: a line a device
largest / mean rows 1.00, stored elements 1.00, halo received 1.01
whole vector   a device receives at most 3 168 values, 99.0 % of it
)");
  const ProgramRun wide = run_program({"inspect", path, "--devices", "100", "--wide"});
  EXPECT_NE(wide.output.find("\n    99 "), std::string::npos) << wide.output;
  EXPECT_EQ(wide.output.find("of a device"), std::string::npos) << wide.output;
}

TEST(InspectCommand, PrintsThePartitionAsJson) {
  const TemporaryFolder folder;

  const ProgramRun result =
      run_program({"inspect", chain(folder), "--devices", "4", "--block", "2", "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["renumbering"], "none");
  const auto& partition = json["partition"];
  EXPECT_EQ(partition["layout"], "bcsr2");
  EXPECT_EQ(partition["row_alignment"], 32);
  ASSERT_EQ(partition["devices"].size(), 4u);
  const auto& second = partition["devices"][1];
  EXPECT_EQ(second["begin_row"], 32);
  EXPECT_EQ(second["rows"], 32);
  // 16 block rows with 3 blocks of 4 elements each.
  EXPECT_EQ(second["stored_elements"], 16 * 3 * 4);
  EXPECT_EQ(second["interior_rows"], 0);
  EXPECT_EQ(second["neighbours"], 2);
  EXPECT_EQ(second["halo"]["received"], 4);
  EXPECT_EQ(second["halo"]["sent"], 4);
  EXPECT_DOUBLE_EQ(second["halo"]["received_share_of_vector"], 4.0 / 128);
  EXPECT_EQ(second["peer"]["received"], 96);
  EXPECT_EQ(second["peer"]["sent"], 96);
  EXPECT_EQ(second["staged"]["sent"], 32);
  EXPECT_DOUBLE_EQ(partition["largest_by_mean"]["rows"], 1.0);
}

TEST(InspectCommand, CutsAMatrixForDiagonals) {
  const TemporaryFolder folder;

  const ProgramRun result =
      run_program({"inspect", chain(folder), "--devices", "2", "--layout", "dia", "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto partition = nlohmann::json::parse(result.output)["partition"];
  EXPECT_EQ(partition["layout"], "dia");
  EXPECT_EQ(partition["devices"][0]["rows"], 64);
  EXPECT_EQ(partition["devices"][0]["stored_elements"], 3 * 64);
  EXPECT_EQ(partition["devices"][0]["halo"]["received"], 1);
}

TEST(InspectCommand, TakesMoreDevicesThanRows) {
  const TemporaryFolder folder;
  const std::string path =
      write(folder, "one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n");

  const ProgramRun result = run_program({"inspect", path, "--devices", "4"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
}

TEST(InspectCommand, LooksAtTheMatrixAfterARenumbering) {
  const TemporaryFolder folder;
  const std::string ordered = chain(folder);
  const std::string path = (folder / "random.mtx").string();
  ASSERT_EQ(
      run_program({"generate", "renumber", "--in", ordered, "--order", "random", "--out", path})
          .exit_status,
      0);
  const auto halo = [&](const std::string& how) {
    const ProgramRun result =
        run_program({"inspect", path, "--devices", "2", "--renumber", how, "--json"});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json["renumbering"], how);
    return json["partition"]["devices"][0]["halo"]["received"].get<int>();
  };
  EXPECT_GT(halo("none"), 20);
  EXPECT_EQ(halo("rcm"), 1);
  EXPECT_LE(halo("metis"), 3);
}

TEST(InspectCommand, RefusesWrongPartitionsWithOneLine) {
  const TemporaryFolder folder;
  const std::string path = chain(folder);
  struct Case {
    std::vector<std::string> words;
    std::string error;
  };
  const std::vector<Case> cases{
      {{"--devices", "0"}, "--devices 0: expected 1 to 8192 devices"},
      {{"--block", "2"}, "--block is for --devices, which is missing"},
      {{"--layout", "dia"}, "--layout is for --devices, which is missing"},
      {{"--devices", "2", "--block", "5"}, "--block 5: expected 1, 2, 3, 4, 6 or 8"},
      {{"--devices", "2", "--layout", "csr,dia"}, "--layout csr,dia: expected one layout"},
      {{"--renumber", "metis"}, "--renumber metis orders for a number of devices; add --devices"},
      {{"--renumber", "amd"},
       "--renumber: unknown renumbering 'amd'; expected one of none, random, rcm, metis, hubs"}};
  for (const Case& wrong : cases) {
    std::vector<std::string> words{"inspect", path};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());

    const ProgramRun result = run_program(words);

    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "sparsecast inspect: " + wrong.error + '\n');
  }
}

TEST(InspectCommand, HasNoPartitionOfARectangularMatrix) {
  const TemporaryFolder folder;
  const std::string path = write(folder, "wide.mtx",
                                 "%%MatrixMarket matrix coordinate pattern general\n"
                                 "2 7 3\n1 1\n1 7\n2 5\n");

  const ProgramRun result = run_program({"inspect", path, "--devices", "2"});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "sparsecast inspect: no halos in a matrix of 2 x 7: expected a square one\n");
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
