#include "core/matrix/generate/table4.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/text/hash.hpp"
#include "core/matrix/transpose.hpp"
#include "core/refusal.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

constexpr std::uint64_t seed = 20081211;

CsrMatrix<double> make(const std::string& name, std::uint64_t with_seed = seed) {
  return make_table4_matrix(find_table4_matrix(name), with_seed);
}

std::vector<std::int64_t> row_lengths(const CsrMatrix<double>& matrix) {
  std::vector<std::int64_t> lengths(matrix.rows);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    lengths[row] = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
  }
  return lengths;
}

std::int64_t longest_row(const CsrMatrix<double>& matrix) {
  return std::ranges::max(row_lengths(matrix));
}

std::int64_t count_rows_of(const CsrMatrix<double>& matrix, std::int64_t least) {
  return std::ranges::count_if(row_lengths(matrix), [&](auto length) { return length >= least; });
}

bool has(const CsrMatrix<double>& matrix, std::int64_t row, std::int64_t column) {
  const auto begin = matrix.column_indices.begin();
  return std::binary_search(begin + matrix.row_offsets[row], begin + matrix.row_offsets[row + 1],
                            static_cast<std::int32_t>(column));
}

/// Section 3.5: the largest K that a third of the rows reach.
std::int64_t hyb_columns(const CsrMatrix<double>& matrix) {
  std::int64_t columns = 0;
  while (3 * count_rows_of(matrix, columns + 1) >= matrix.rows) ++columns;
  return columns;
}

/// Percent of the nonzeros in the ELL part of the HYB format.
double percent_in_ell(const CsrMatrix<double>& matrix) {
  const std::int64_t columns = hyb_columns(matrix);
  std::int64_t kept = 0;
  for (const std::int64_t length : row_lengths(matrix)) kept += std::min(length, columns);
  return 100.0 * static_cast<double>(kept) / static_cast<double>(matrix.nonzeros());
}

/// How many entries each diagonal has, by column - row.
std::map<std::int64_t, std::int64_t> diagonals(const CsrMatrix<double>& matrix) {
  std::vector<std::int64_t> counts(matrix.rows + matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      ++counts[matrix.column_indices[k] - row + matrix.rows];
    }
  }
  std::map<std::int64_t, std::int64_t> used;
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (counts[place] > 0) used[static_cast<std::int64_t>(place) - matrix.rows] = counts[place];
  }
  return used;
}

struct PrintedRow {
  std::string name;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t nonzeros;
  std::int64_t longest_row;
};
void PrintTo(const PrintedRow& row, std::ostream* out) {
  *out << row.name;
}

/// Table 4, and the longest rows of the later paper's.
const std::vector<PrintedRow> printed_table{
    {"Dense", 2000, 2000, 4000000, 2000},
    {"Protein", 36417, 36417, 4344765, 204},
    {"FEM/Spheres", 83334, 83334, 6010480, 81},
    {"FEM/Cantilever", 62451, 62451, 4007383, 78},
    {"Wind Tunnel", 217918, 217918, 11634424, 180},
    {"FEM/Harbor", 46835, 46835, 2374001, 145},
    {"QCD", 49152, 49152, 1916928, 39},
    {"FEM/Ship", 140874, 140874, 7813404, 102},
    {"Economics", 206500, 206500, 1273389, 44},
    {"Epidemiology", 525825, 525825, 2100225, 4},
    {"FEM/Accelerator", 121192, 121192, 2624331, 81},
    {"Circuit", 170998, 170998, 958936, 353},
    {"Webbase", 1000005, 1000005, 3105536, 4700},
    {"LP", 4284, 1092610, 11279748, 56181},
    {"dense-tall", 30000, 128, 3840000, 128},
};

std::string test_name(const ::testing::TestParamInfo<PrintedRow>& info) {
  std::string name = info.param.name;
  std::erase_if(name, [](char letter) { return std::isalpha(letter) == 0; });
  return name;
}

class Table4Row : public ::testing::TestWithParam<PrintedRow> {};

TEST_P(Table4Row, HasThePrintedCountsForEverySeed) {
  const PrintedRow& printed = GetParam();
  std::vector<double> first_values;
  for (const std::uint64_t any : {seed, seed + 1}) {
    const CsrMatrix<double> matrix = make(printed.name, any);

    EXPECT_EQ(matrix.rows, printed.rows);
    EXPECT_EQ(matrix.columns, printed.columns);
    EXPECT_EQ(matrix.nonzeros(), printed.nonzeros);
    EXPECT_EQ(longest_row(matrix), printed.longest_row);
    first_values.push_back(matrix.values[1]);
  }
  EXPECT_NE(first_values[0], first_values[1]);
}

TEST_P(Table4Row, HasRisingColumnsAndNoZeros) {
  const CsrMatrix<double> matrix = make(GetParam().name);

  EXPECT_NO_THROW(check_csr<double>(matrix));
  EXPECT_EQ(std::ranges::count(matrix.values, 0.0), 0);
}

TEST_P(Table4Row, IsSymmetricAndDefiniteWhereItSaysSo) {
  const Table4Matrix& said = find_table4_matrix(GetParam().name);
  const CsrMatrix<double> matrix = make(GetParam().name);

  if (matrix.rows == matrix.columns) {
    const CsrMatrix<double> transposed = transpose<double>(matrix);
    EXPECT_EQ(said.symmetric, matrix.row_offsets == transposed.row_offsets &&
                                  matrix.column_indices == transposed.column_indices &&
                                  matrix.values == transposed.values);
  } else {
    EXPECT_FALSE(said.symmetric);
  }
  bool dominant = true;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double others = 0;
    double own = 0;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      (matrix.column_indices[k] == row ? own : others) += std::abs(matrix.values[k]);
    }
    dominant = dominant && own > others;
  }
  EXPECT_EQ(said.definite, said.symmetric && dominant);
}

INSTANTIATE_TEST_SUITE_P(Any, Table4Row, ::testing::ValuesIn(printed_table), test_name);

template <class Number>
std::uint64_t hash_numbers(const Buffer<Number>& numbers, std::uint64_t start) {
  return hash_of({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)},
                 start);
}

/// FNV-1a of the three arrays.
std::string fingerprint(const CsrMatrix<double>& matrix) {
  std::uint64_t hash = hash_numbers(matrix.row_offsets, 0xcbf29ce484222325ULL);
  hash = hash_numbers(matrix.column_indices, hash);
  return hexadecimal(hash_numbers(matrix.values, hash));
}

TEST(ThreadedTable4, GivesTheSameBytesForever) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  static const std::map<std::string, std::string> golden{
      {"dense", "b3f1b5f3a9c3a39b"},
      {"protein", "f695b3ee0259eb75"},
      {"fem-spheres", "0062491d5c35508a"},
      {"fem-cantilever", "7afd9f0f28cd466f"},
      {"wind-tunnel", "e0c500dce6a666f5"},
      {"fem-harbor", "878922911713a60b"},
      {"qcd", "13b0e05f6702fc42"},
      {"fem-ship", "3c9f929b06087ba4"},
      {"economics", "e129c3a02be1148c"},
      {"epidemiology", "3d95f43b6613cee8"},
      {"fem-accelerator", "8a0a4068d1e3f53c"},
      {"circuit", "f75544becb11492c"},
      {"webbase", "3913614ecaff7d9b"},
      {"lp", "d00a239c66706810"},
      {"dense-tall", "c360a55cf678d829"},
  };
  for (const Table4Matrix& matrix : table4_matrices()) {
    for (const int threads : {1, 3}) {
      EXPECT_EQ(fingerprint(make_table4_matrix(matrix, 1, threads)), golden.at(matrix.name))
          << matrix.name << " with " << threads << " threads";
    }
  }
}

TEST(Table4, SplitsWindTunnelAndLpAsThePaperDoes) {
  EXPECT_NEAR(percent_in_ell(make("Wind Tunnel")), 99.4, 1);
  EXPECT_NEAR(percent_in_ell(make("LP")), 45.4, 1);
}

TEST(Table4, HasNoMatrixButTheDenseOnesThatFillsAThirdOfItsDiagonals) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  for (const Table4Matrix& entry : table4_matrices()) {
    const CsrMatrix<double> matrix = make_table4_matrix(entry, seed);
    const double stored = static_cast<double>(diagonals(matrix).size()) *
                          static_cast<double>(std::min(matrix.rows, matrix.columns));
    const bool dense = std::string(entry.name).starts_with("dense");
    EXPECT_EQ(static_cast<double>(matrix.nonzeros()) > stored / 3, dense) << entry.name;
  }
}

TEST(Table4, FindsNamesAsPrintedAndAsWordsOfTheCommandLine) {
  EXPECT_STREQ(find_table4_matrix("wind-tunnel").name, "wind-tunnel");
  EXPECT_STREQ(find_table4_matrix("Wind Tunnel").name, "wind-tunnel");
  EXPECT_STREQ(find_table4_matrix("WINDTUNNEL").name, "wind-tunnel");
  EXPECT_STREQ(find_table4_matrix("FEM/Spheres").name, "fem-spheres");
  EXPECT_STREQ(find_table4_matrix("spheres").name, "fem-spheres");
  EXPECT_STREQ(find_table4_matrix("fem_ship").name, "fem-ship");
  EXPECT_STREQ(find_table4_matrix("dense").name, "dense");
  EXPECT_STREQ(find_table4_matrix("Dense-Tall").name, "dense-tall");
}

TEST(Table4, NamesAllMatricesWhenAskedForAnother) {
  for (const std::string name : {"cube", "", "fem", "dense2"}) {
    EXPECT_EQ(refusal_of([&] { find_table4_matrix(name); }),
              "no matrix '" + name +
                  "' in Table 4; expected one of dense, protein, fem-spheres, "
                  "fem-cantilever, wind-tunnel, fem-harbor, qcd, fem-ship, economics, "
                  "epidemiology, fem-accelerator, circuit, webbase, lp, dense-tall");
  }
}

/// Rows of `unknowns` neighbours that have the same columns, but for one block of which there is
/// only a part.
void expect_blocks(const std::string& name, std::int64_t unknowns, std::int64_t most_others) {
  const CsrMatrix<double> matrix = make(name);
  std::int64_t others = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t first = row - row % unknowns;
    const auto begin = matrix.column_indices.begin();
    others += std::equal(begin + matrix.row_offsets[row], begin + matrix.row_offsets[row + 1],
                         begin + matrix.row_offsets[first], begin + matrix.row_offsets[first + 1])
                  ? 0
                  : 1;
  }
  EXPECT_LE(others, most_others) << name;
  EXPECT_EQ(matrix.nonzeros() % (unknowns * unknowns) == 0, most_others == 0) << name;
}

TEST(Table4, HasSeveralRowsANodeInMeshesAndProteins) {
  expect_blocks("Protein", 3, 4);
  expect_blocks("FEM/Spheres", 3, 4);
  expect_blocks("FEM/Cantilever", 3, 4);
  expect_blocks("Wind Tunnel", 6, 10);
  expect_blocks("FEM/Harbor", 5, 8);
  expect_blocks("FEM/Ship", 6, 0);
}

TEST(Table4, HopsToSixNeighboursInSpaceAndOneInTime) {
  const CsrMatrix<double> matrix = make("QCD");

  EXPECT_EQ(count_rows_of(matrix, 39), matrix.rows);
  constexpr std::int64_t site_rows = 12;
  constexpr std::int64_t time = 8 * 8 * 8;
  for (std::int64_t row = 0; row < matrix.rows; row += 1009) {
    const std::int64_t here = row / site_rows;
    std::map<std::int64_t, std::int64_t> entries_of_site;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      ++entries_of_site[matrix.column_indices[k] / site_rows];
    }
    EXPECT_EQ(entries_of_site.size(), 7u);
    for (const auto& [site, entries] : entries_of_site) {
      // Strides of the axes along which the two differ, each by 1 around the lattice.
      std::vector<std::int64_t> axes;
      for (const std::int64_t stride : {1, 8, 64, 512}) {
        const std::int64_t step = (site / stride % 8 - here / stride % 8 + 8) % 8;
        if (step == 1 || step == 7) axes.push_back(stride);
        EXPECT_TRUE(step <= 1 || step == 7) << step;
      }
      ASSERT_EQ(axes.size(), 1u);
      EXPECT_EQ(entries, axes[0] == time ? 3 : 6);
    }
  }
}

TEST(Table4, OccupiesTheDiagonalsOfEpidemiologyThatThePaperCounts) {
  const CsrMatrix<double> matrix = make("Epidemiology");
  const std::map<std::int64_t, std::int64_t> used = diagonals(matrix);

  EXPECT_EQ(used.size(), 769u);
  const std::int64_t in_three = used.at(-1) + used.at(0) + used.at(1);
  EXPECT_GT(in_three, matrix.nonzeros() / 2);
  EXPECT_EQ(hyb_columns(matrix), 4);
}

TEST(Table4, RepeatsThePeriodsOfEconomics) {
  const CsrMatrix<double> matrix = make("Economics");

  constexpr std::int64_t variables = 413;
  EXPECT_GE(count_rows_of(matrix, 44), 498);
  std::int64_t repeated = 0;
  for (std::int64_t row = 0; row + variables < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int64_t next = matrix.column_indices[k] + variables;
      repeated += has(matrix, row + variables, next) ? 1 : 0;
    }
  }
  EXPECT_GT(repeated, matrix.nonzeros() * 3 / 4);
  EXPECT_FALSE(has(matrix, 0, 0));
}

TEST(Table4, LeavesRowsOfTheAcceleratorEmpty) {
  const CsrMatrix<double> matrix = make("FEM/Accelerator");

  EXPECT_EQ(count_rows_of(matrix, 1), 99843);
  EXPECT_GT(count_rows_of(matrix, 40), 500);
}

TEST(Table4, HasFewLongRowsInTheCircuit) {
  const CsrMatrix<double> matrix = make("Circuit");

  EXPECT_LE(count_rows_of(matrix, 29), 12);
  EXPECT_GE(count_rows_of(matrix, 100), 9);
}

TEST(Table4, HalvesWebPagesWithEachDoublingOfTheirLinks) {
  const CsrMatrix<double> matrix = make("Webbase");

  for (std::int64_t links = 16; links <= 512; links *= 2) {
    const auto pages = static_cast<double>(count_rows_of(matrix, links));
    const auto half = static_cast<double>(count_rows_of(matrix, 2 * links));
    EXPECT_NEAR(half / pages, 0.5, 0.12) << links;
  }
  // Some pages have many links to them.
  EXPECT_GT(longest_row(transpose<double>(matrix)), 100);
}

TEST(Table4, HasRowsOfAllSizesInTheLinearProgram) {
  const CsrMatrix<double> matrix = make("LP");

  EXPECT_GT(count_rows_of(matrix, 20000), 20);
  EXPECT_LT(count_rows_of(matrix, 500), matrix.rows * 9 / 10);
}

}  // namespace
}  // namespace sparsecast
