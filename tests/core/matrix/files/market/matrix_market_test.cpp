#include "core/matrix/files/market/matrix_market.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/narrow_offsets.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

constexpr const char* general = "%%MatrixMarket matrix coordinate real general\n";
constexpr const char* symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

CsrMatrix<double> parse(const std::string& text, const MatrixFileOptions& options = {}) {
  return parse_matrix_market(text, "m.mtx", options).matrix;
}

std::string error_of(const std::string& text) {
  try {
    parse_matrix_market(text, "m.mtx");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The matrix as (row, column) -> value; fails the test if columns do not rise within a row.
std::map<std::pair<std::int64_t, std::int64_t>, double> entries_of(const CsrView<double>& matrix) {
  check_csr(matrix);
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries[{row, matrix.column_indices[k]}] = matrix.values[k];
    }
  }
  return entries;
}
using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

bool same_bytes(const CsrMatrix<double>& a, const CsrMatrix<double>& b) {
  return a.rows == b.rows && a.columns == b.columns && a.row_offsets == b.row_offsets &&
         a.column_indices == b.column_indices && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

/// A folder that lives as long as the test.
class MatrixMarketFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sparsecast_mtx_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  fs::path folder_;
};

/// Random entries, never zero, of any magnitude.
class RandomEntries {
 public:
  explicit RandomEntries(unsigned seed) : random_(seed) {
    testing::Test::RecordProperty("seed", static_cast<int>(seed));
    std::printf("seed %u\n", seed);
  }
  std::int64_t index(std::int64_t size) {
    return std::uniform_int_distribution<std::int64_t>(0, size - 1)(random_);
  }
  double value() {
    const double mantissa = std::uniform_real_distribution<double>(0.5, 1)(random_);
    const int exponent = std::uniform_int_distribution<int>(-300, 300)(random_);
    return (random_() % 2 == 0 ? 1 : -1) * std::ldexp(mantissa, exponent);
  }
  double moderate_value() { return std::uniform_real_distribution<double>(0.5, 2)(random_); }

 private:
  std::mt19937_64 random_;
};

std::string in_digits(double value) {
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%.17g", value);
  return digits;
}

/// A random file with duplicates, and what it means when they are summed in the file's order.
std::pair<std::string, Entries> random_file(std::int64_t rows, std::int64_t columns,
                                            std::int64_t stored, unsigned seed) {
  RandomEntries random(seed);
  std::string text = std::string(general) + std::to_string(rows) + " " + std::to_string(columns) +
                     " " + std::to_string(stored) + "\n";
  Entries expected;
  for (std::int64_t k = 0; k < stored; ++k) {
    const std::int64_t row = random.index(rows);
    const std::int64_t column = random.index(columns);
    const double value = random.moderate_value();
    text +=
        std::to_string(row + 1) + " " + std::to_string(column + 1) + " " + in_digits(value) + "\n";
    const auto [at, is_new] = expected.try_emplace({row, column}, value);
    if (!is_new) at->second += value;
  }
  return {text, expected};
}

TEST(MatrixMarket, ReadsAGeneralMatrix) {
  const auto matrix = parse(std::string(general) + "2 3 3\n1 1 1.5\n2 3 -2e-3\n1 2 4\n");
  EXPECT_EQ(matrix.rows, 2);
  EXPECT_EQ(matrix.columns, 3);
  EXPECT_EQ(entries_of(matrix), (Entries{{{0, 0}, 1.5}, {{0, 1}, 4}, {{1, 2}, -2e-3}}));
}

TEST(MatrixMarket, CountsTheEntriesThatStandWhereAnEarlierOneDoes) {
  const auto duplicates = [](const std::string& text) {
    return parse_matrix_market(text, "m.mtx").duplicates;
  };
  EXPECT_EQ(duplicates(std::string(general) + "2 2 2\n1 1 1\n2 2 1\n"), 0);
  EXPECT_EQ(duplicates(std::string(general) + "2 2 4\n1 2 1\n2 2 1\n1 2 3\n1 2 1\n"), 2);
  // What symmetric storage mirrors counts once.
  EXPECT_EQ(duplicates(std::string(symmetric) + "2 2 4\n2 1 1\n2 2 1\n2 1 3\n2 2 1\n"), 2);
}

TEST(MatrixMarket, TakesAByteOrderMark) {
  EXPECT_EQ(parse("\xef\xbb\xbf" + std::string(general) + "1 1 1\n1 1 7\n").values,
            (Buffer<double>{7}));
}

TEST(MatrixMarket, SumsDuplicatesOfARandomFile) {
  const auto [text, expected] = random_file(97, 41, 5000, 11);
  ASSERT_LT(expected.size(), 5000u);
  EXPECT_EQ(entries_of(parse(text)), expected);
}

TEST(MatrixMarket, ExpandsSymmetricStorageWithoutInventingADiagonal) {
  const auto matrix = parse(std::string(symmetric) + "3 3 3\n1 1 5\n2 1 -1\n3 2 7\n");
  EXPECT_EQ(entries_of(matrix),
            (Entries{{{0, 0}, 5}, {{0, 1}, -1}, {{1, 0}, -1}, {{1, 2}, 7}, {{2, 1}, 7}}));
}

TEST(MatrixMarket, ExpandsSkewSymmetricStorageWithTheOtherSign) {
  const auto matrix =
      parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(entries_of(matrix), (Entries{{{1, 0}, 3}, {{0, 1}, -3}}));
}

TEST(MatrixMarket, GivesPatternEntriesTheValueOne) {
  const auto matrix =
      parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
  EXPECT_EQ(entries_of(matrix), (Entries{{{0, 0}, 1}, {{1, 0}, 1}, {{0, 1}, 1}}));
}

TEST(MatrixMarket, ReadsArraysByColumns) {
  const auto matrix = parse("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(
      entries_of(matrix),
      (Entries{{{0, 0}, 1}, {{1, 0}, 2}, {{0, 1}, 3}, {{1, 1}, 4}, {{0, 2}, 5}, {{1, 2}, 6}}));
}

TEST(MatrixMarket, ReadsTheLowerTriangleOfASymmetricArrayByColumns) {
  const auto matrix =
      parse("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(entries_of(matrix), (Entries{{{0, 0}, 1},
                                         {{1, 0}, 2},
                                         {{2, 0}, 3},
                                         {{0, 1}, 2},
                                         {{1, 1}, 4},
                                         {{2, 1}, 5},
                                         {{0, 2}, 3},
                                         {{1, 2}, 5},
                                         {{2, 2}, 6}}));
}

TEST(MatrixMarket, ReadsASkewSymmetricArrayWithoutItsDiagonal) {
  const auto matrix = parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  EXPECT_EQ(
      entries_of(matrix),
      (Entries{{{1, 0}, 1}, {{2, 0}, 2}, {{2, 1}, 3}, {{0, 1}, -1}, {{0, 2}, -2}, {{1, 2}, -3}}));
}

TEST(MatrixMarket, KeepsExplicitZerosUnlessAskedToDropThem) {
  const std::string text = std::string(symmetric) + "2 2 3\n1 1 0\n2 1 0.0\n2 2 3\n";
  EXPECT_EQ(parse(text).nonzeros(), 4);
  EXPECT_EQ(entries_of(parse(text, {.drop_explicit_zeros = true})), (Entries{{{1, 1}, 3}}));
}

TEST(MatrixMarket, ReportsWhatTheFileSaysOfItself) {
  const auto file = parse_matrix_market(
      "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 5\n2 1 -1\n", "m.mtx");
  EXPECT_TRUE(file.header.coordinate);
  EXPECT_EQ(file.header.field, MatrixMarketField::integer);
  EXPECT_EQ(file.header.symmetry, StoredSymmetry::symmetric);
  EXPECT_EQ(file.header.rows, 3);
  EXPECT_EQ(file.header.columns, 3);
  EXPECT_EQ(file.header.stored_entries, 2);
}

TEST(MatrixMarket, AcceptsWhatPeopleWrite) {
  const Entries expected = {{{0, 0}, 1.5}, {{1, 0}, -2}};
  for (const std::string text : {
           "%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1.5\r\n2 1 -2\r\n",
           "%%matrixmarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1.5\n2 1 -2\n",
           "%%MatrixMarket matrix coordinate real general\n% a\n%\n\n2 2 2\n%b\n1 1 1.5\n \n2 1 "
           "-2\n\n%c",
           "%%MatrixMarket matrix coordinate real general\n 2\t2  2 \n  1 1\t1.5\t\n\t2   1 -2  \n",
           "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 -2",
           "%%MatrixMarket matrix coordinate real general\n2 2 2\n+1 +1 +1.5\n2 1 -2.",
           "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.15D+01\n2 1 -.2d1\n",
           "%%MatrixMarket matrix coordinate real general\n2 2 2\n001 01 1.50E0\n2 1 -200e-2\n",
       }) {
    EXPECT_EQ(entries_of(parse(text)), expected) << text;
  }
}

TEST(MatrixMarket, RoundsEveryValueToTheNearestDouble) {
  RandomEntries random(5);
  std::string text = "%%MatrixMarket matrix array real general\n";
  std::vector<std::string> numbers = {"9007199254740993",
                                      "9007199254740992.5",
                                      "1.7976931348623157e308",
                                      "4.9e-324",
                                      "2.4e-324",
                                      "2.5e-324",
                                      "2.2250738585072011e-308",
                                      "1e-400",
                                      "0.1",
                                      "123456789012345678901234567890",
                                      "0.000000000000000000000000000000012345678901234567890",
                                      "1e22",
                                      "1e23",
                                      "8.5e-27",
                                      "18446744073709551615",
                                      "9999999999999999999",
                                      "179769313486231570793e288",
                                      "7.2057594037927933e16",
                                      "1448997445238699",
                                      "6929001713869936e-15",
                                      "0e999",
                                      "-0"};
  for (int k = 0; k < 20000; ++k) {
    char digits[60];
    const double value = k % 2 == 0 ? random.value() : random.moderate_value();
    std::snprintf(digits, sizeof(digits), "%.*e", static_cast<int>(random.index(22)), value);
    numbers.push_back(digits);
    std::snprintf(digits, sizeof(digits), "%.*f", static_cast<int>(random.index(20)),
                  random.moderate_value() * std::pow(10, static_cast<double>(random.index(8))));
    numbers.push_back(digits);
  }
  text += std::to_string(numbers.size()) + " 1\n";
  for (const auto& number : numbers) text += number + "\n";

  const auto matrix = parse(text);

  ASSERT_EQ(matrix.values.size(), numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    EXPECT_EQ(matrix.values[k], std::strtod(numbers[k].c_str(), nullptr)) << numbers[k];
  }
}

struct Malformed {
  Malformed(const char* its_name, const std::string& its_text, const char* its_error)
      : name(its_name), text([its_text] { return its_text; }), error(its_error) {}
  /// Of a large text, which is made when it is read: the program has all cases from its start.
  Malformed(const char* its_name, std::string (*make)(), const char* its_error)
      : name(its_name), text(make), error(its_error) {}

  const char* name;
  std::function<std::string()> text;
  std::string error;  ///< its beginning

  friend std::ostream& operator<<(std::ostream& out, const Malformed& malformed) {
    return out << malformed.name;
  }
};
class MalformedMatrixMarket : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedMatrixMarket, IsOneLineWithFileAndLine) {
  const std::string error = error_of(GetParam().text());
  EXPECT_TRUE(error.starts_with("m.mtx:" + GetParam().error)) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  EXPECT_NE(error.find("; expected "), std::string::npos) << error;
}

TEST_P(MalformedMatrixMarket, IsTheSameCompressed) {
  const std::string error = error_of(gzip_member(GetParam().text()));
  EXPECT_TRUE(error.starts_with("m.mtx:" + GetParam().error)) << error;
}

std::string with_size(const std::string& size_line) {
  return std::string(general) + size_line + "\n1 1 1\n2 2 1\n";
}
std::string with_entry(const std::string& entry) {
  return std::string(general) + "% comment\n3 3 2\n1 1 1\n" + entry + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedMatrixMarket,
    testing::Values(
        Malformed{"Empty", "", "1: the file is empty"},
        Malformed{"Blank", "\n\n", "1: the file is empty"},
        Malformed{"NoBanner", "3 3 1\n1 1 1\n", "1: no Matrix Market banner, but '3 3 1'"},
        Malformed{"OnePercent", "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
                  "1: the banner starts with one %"},
        Malformed{"Html", "<!DOCTYPE html>\n<html><body>404</body></html>\n",
                  "1: this is an HTML page"},
        Malformed{"GitLfs", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n",
                  "1: this is a Git LFS pointer"},
        Malformed{"HarwellBoeing",
                  "1SYMMETRIC STIFFNESS MATRIX                         BCSSTK01\n"
                  "            74             4            19            51             0\n"
                  "RSA                       48            48           224             0\n"
                  "(16I5)          (16I5)          (4E20.12)\n",
                  "1: this is a Harwell-Boeing or Rutherford-Boeing file"},
        Malformed{"Tar", "m/m.mtx" + std::string(250, '\0') + "ustar" + std::string(250, '\0'),
                  "1: this is a tar archive"},
        Malformed{"Zip", "PK\x03\x04junk", "1: this is an .npz (or another zip archive)"},
        Malformed{"Binary",
                  std::string("\x7f"
                              "ELF\x02\x01\x01\0\0\0",
                              10),
                  "1: this is binary data"},
        Malformed{"ShortBanner", "%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n",
                  "1: the banner has 4 words"},
        Malformed{"Vector", "%%MatrixMarket vector coordinate real general\n",
                  "1: the object is 'vector'"},
        Malformed{"UnknownFormat", "%%MatrixMarket matrix dense real general\n",
                  "1: the format is 'dense'"},
        Malformed{"Complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
                  "1: complex values are not supported"},
        Malformed{"Hermitian", "%%MatrixMarket matrix coordinate real Hermitian\n",
                  "1: Hermitian matrices are not supported"},
        Malformed{"UnknownField", "%%MatrixMarket matrix coordinate quaternion general\n",
                  "1: the field is 'quaternion'"},
        Malformed{"UnknownSymmetry", "%%MatrixMarket matrix coordinate real diagonal\n",
                  "1: the symmetry is 'diagonal'"},
        Malformed{"PatternArray", "%%MatrixMarket matrix array pattern general\n",
                  "1: an array cannot be a pattern"},
        Malformed{"NoSizeLine", std::string(general) + "% only comments\n",
                  "2: the file ends before the size line"},
        Malformed{"ShortSizeLine", with_size("3 3"), "2: the size line has 2 columns"},
        Malformed{"LongSizeLine", with_size("3 3 2 1"), "2: the size line has 4 columns"},
        Malformed{"SizeNoNumber", with_size("3 x 2"), "2: the number of columns is 'x'"},
        Malformed{"NegativeRows", with_size("-3 3 2"), "2: the number of rows is negative: '-3'"},
        Malformed{"NegativeEntries", with_size("3 3 -2"),
                  "2: the number of entries is negative: '-2'"},
        Malformed{"RowOverflow", with_size("99999999999999999999 3 2"),
                  "2: the number of rows is '99999999999999999999'"},
        Malformed{"TooManyColumns", with_size("3 2147483648 2"),
                  "2: the number of columns is '2147483648'"},
        Malformed{"EntryOverflow", with_size("3 3 9223372036854775808"),
                  "2: the number of entries is '9223372036854775808'"},
        Malformed{"HugeClaim", with_size("3 3 1000000000000000"),
                  "2: the size line announces 1000000000000000 entries, but "},
        Malformed{"HugeColumns",
                  "%%MatrixMarket matrix coordinate real general\n"
                  "1 2147483647 1\n1 1 1\n",
                  "2: 2147483647 columns for 1 entry"},
        Malformed{"Utf16", std::string("\xff\xfe%\0%\0M\0", 8),
                  "1: this is text in UTF-16 (convert it with"},
        Malformed{"HugeRows", with_size("2147483647 3 2"), "2: 2147483647 rows for 2 entries"},
        Malformed{"HugeArray",
                  "%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n",
                  "2: the size line announces 4000000000000000000 entries"},
        Malformed{"NotSquare", std::string(symmetric) + "3 2 1\n1 1 1\n",
                  "2: a symmetric matrix of 3 x 2"},
        Malformed{"EntriesOfNothing", std::string(general) + "0 3 1\n1 1 1\n",
                  "2: entries in a matrix of 0 x 3"},
        Malformed{"TooFew", std::string(general) + "3 3 3\n1 1 100\n2 2 100\n",
                  "4: the file ends after 2 entries; expected 3"},
        Malformed{"TooMany", std::string(general) + "3 3 1\n\n% x\n1 1 1\n%\n2 2 1\n3 3 1\n",
                  "7: more entries than the 1 "},
        Malformed{"TruncatedLine", std::string(general) + "3 3 2\n1 1 1.25\n2 2",
                  "4: the line has 2 columns, the last is '2'; expected row, column and value"},
        Malformed{"MissingColumn", with_entry("2 2"), "5: the line has 2 columns"},
        Malformed{"ExtraColumn", with_entry("2 2 1 7"), "5: the line has 4 columns"},
        Malformed{"ZeroRow", with_entry("0 2 1"), "5: row index 0; expected 1 to 3"},
        Malformed{"ZeroColumn", with_entry("2 0 1"), "5: column index 0; expected 1 to 3"},
        Malformed{"RowBeyond", with_entry("4 2 1"), "5: row index '4' lies outside the matrix"},
        Malformed{"ColumnBeyond", with_entry("2 4 1"), "5: column index '4' lies outside"},
        Malformed{"ColumnOverflow", with_entry("2 99999999999999999999 1"),
                  "5: column index '99999999999999999999' lies outside"},
        Malformed{"NegativeIndex", with_entry("-1 2 1"), "5: row index '-1' lies outside"},
        Malformed{"FractionIndex", with_entry("1.5 2 1"), "5: row index '1.5' is not a whole"},
        Malformed{"NoNumber", with_entry("2 2 abc"), "5: value 'abc' is not a number"},
        Malformed{"TwoPoints", with_entry("2 2 1.2.3"), "5: value '1.2.3' is not a number"},
        Malformed{"Hexadecimal", with_entry("2 2 0x10"), "5: value '0x10' is not a number"},
        Malformed{"NoExponent", with_entry("2 2 1e"), "5: value '1e' is not a number"},
        Malformed{"NotANumber", with_entry("2 2 NaN"), "5: value 'NaN' is not finite"},
        Malformed{"Infinity", with_entry("2 2 -Inf"), "5: value '-Inf' is not finite"},
        Malformed{"ValueOverflow", with_entry("2 2 1e309"), "5: value '1e309' is too large"},
        Malformed{"BinaryJunk", with_entry(std::string("\x01\x02\0\xff 2 1", 8)),
                  "5: row index '\?\?\?\?' is not a whole number"},
        Malformed{"AboveDiagonal", std::string(symmetric) + "3 3 2\n1 1 1\n1 2 1\n",
                  "4: entry (1, 2) lies above the diagonal of a symmetric matrix"},
        Malformed{"SkewDiagonal",
                  "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
                  "3: entry (2, 2) lies on the diagonal of a skew-symmetric matrix"},
        Malformed{"IntegerFraction",
                  "%%MatrixMarket matrix coordinate integer general\n3 3 1\n2 2 1.5\n",
                  "3: value '1.5' is not a whole number"},
        Malformed{"IntegerTooLarge",
                  "%%MatrixMarket matrix coordinate integer general\n3 3 1\n2 2 9007199254740993\n",
                  "3: integer value '9007199254740993' is too large"},
        Malformed{"ArrayTooFew", "%%MatrixMarket matrix array real general\n2 2\n1.5\n2\n3.5\n",
                  "5: the file ends after 3 entries; expected 4"},
        Malformed{"ArrayTwoColumns", "%%MatrixMarket matrix array real general\n2 1\n1 2\n3\n",
                  "3: the line has 2 columns"},
        Malformed{"LongLine", +[] { return with_entry(std::string(2'000'000, '1')); },
                  "5: a line of more than 1048576 characters"},
        Malformed{"LongHeaderLine",
                  +[] { return std::string(general) + "%" + std::string(3'000'000, 'x'); },
                  "2: a line of more than 1048576 characters"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(MatrixMarket, NamesTheLineOfAnErrorFarInALargeFile) {
  auto [text, expected] = random_file(1000, 1000, 100'000, 3);
  const std::string before = text;
  text.replace(text.rfind("\n", text.size() - 1000) + 1, 0, "% a comment\n7 x 1\n");
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(" x ")), '\n') +
      1;
  const std::string expected_error =
      "m.mtx:" + std::to_string(line) + ": column index 'x' is not a whole number";

  EXPECT_TRUE(error_of(text).starts_with(expected_error)) << error_of(text);
  EXPECT_EQ(error_of(gzip_member(text)), error_of(text));
}

TEST(MatrixMarket, RefusesDuplicatesThatAddUpToInfinity) {
  const std::string error = error_of(std::string(general) + "1 1 2\n1 1 1e308\n1 1 1.7e308\n");
  EXPECT_EQ(error,
            "m.mtx: the duplicates of entry (1, 1) add up to more than a double holds; expected a "
            "finite sum");
}

TEST_F(MatrixMarketFolder, NamesAMissingFile) {
  try {
    read_matrix_market(folder_ / "none.mtx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), (folder_ / "none.mtx").string() +
                                ": cannot read it: No such file or directory; expected a Matrix "
                                "Market file");
  }
}

TEST_F(MatrixMarketFolder, NamesAFolder) {
  try {
    read_matrix_market(folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder_.string() + ": this is a folder; expected a Matrix Market file");
  }
}

TEST_F(MatrixMarketFolder, NamesAnEmptyFile) {
  const fs::path path = write("empty.mtx", "");
  try {
    read_matrix_market(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ":1: the file is empty"));
  }
}

TEST(CompressedMatrixMarket, IsRecognisedByContent) {
  const auto [text, expected] = random_file(50, 50, 400, 21);
  EXPECT_EQ(entries_of(parse(gzip_member(text))), expected);
}

TEST(CompressedMatrixMarket, MayHaveSeveralMembers) {
  const auto [text, expected] = random_file(50, 50, 400, 22);
  EXPECT_EQ(entries_of(parse(gzip_member(text.substr(0, 1000)) + gzip_member(text.substr(1000)))),
            expected);
}

TEST(CompressedMatrixMarket, GivesTheSameBytesAsPlainText) {
  const auto [text, expected] = random_file(3000, 2000, 150'000, 23);
  for (const int threads : {1, 2, 3}) {
    EXPECT_TRUE(same_bytes(parse(gzip_member(text), {.threads = threads}), parse(text)));
  }
}

TEST(CompressedMatrixMarket, SaysWhereItIsTruncated) {
  const auto [text, expected] = random_file(300, 300, 20'000, 24);
  const std::string compressed = gzip_member(text);
  for (const std::size_t size : {compressed.size() / 2, compressed.size() - 4}) {
    const std::string error = error_of(compressed.substr(0, size));
    EXPECT_NE(error.find(": the gzip data is truncated; expected its end"), std::string::npos)
        << error;
    const int line = std::atoi(error.c_str() + std::string("m.mtx:").size());
    EXPECT_GT(line, 5000) << error;
    EXPECT_LE(line, 20'002) << error;
  }
}

TEST(CompressedMatrixMarket, IsRefusedWhenOnlyItsFirstBytesAreThere) {
  const std::string compressed = gzip_member(random_file(30, 30, 20, 25).first);
  for (const std::size_t size : {2, 5, 10, 12}) {
    EXPECT_EQ(error_of(compressed.substr(0, size)),
              "m.mtx:1: the gzip data is truncated; expected its end with a checksum");
  }
}

TEST(CompressedMatrixMarket, IsRefusedWhenDamagedAnywhere) {
  const std::string compressed = gzip_member(random_file(300, 300, 5'000, 26).first);
  RandomEntries random(26);
  for (int k = 0; k < 50; ++k) {
    std::string damaged = compressed;
    const std::int64_t at = 12 + random.index(static_cast<std::int64_t>(compressed.size()) - 12);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.index(8)));
    const std::string error = error_of(damaged);
    EXPECT_NE(error.find("the gzip data is "), std::string::npos) << error << " at " << at;
  }
}

TEST(CompressedMatrixMarket, IsRefusedWithTrailingGarbage) {
  const std::string text = std::string(general) + "1 1 1\n1 1 1\n";
  EXPECT_EQ(error_of(gzip_member(text) + "garbage"),
            "m.mtx:3: 7 bytes that are no gzip data follow the compressed text; expected its end");
}

TEST(CompressedMatrixMarket, OfTenThousandfoldSizeIsRefusedWithoutItsMemory) {
  std::string bomb = gzip_member(std::string(general) + "3 3 1\n1 1 1\n");
  const std::string megabyte_of_blanks = gzip_member(std::string(1 << 20, ' '));
  for (int k = 0; k < 300; ++k) bomb += megabyte_of_blanks;
  EXPECT_TRUE(error_of(bomb).starts_with("m.mtx:4: a line of more than 1048576 characters"))
      << error_of(bomb);
}

TEST(ThreadedMatrixMarket, GivesTheSameBytesWithAnyNumberOfThreads) {
  const std::string text = random_file(2000, 3000, 120'000, 31).first;
  const auto reference = parse(text, {.threads = 1});
  for (const int threads : {2, 3, 4}) {
    EXPECT_TRUE(same_bytes(parse(text, {.threads = threads}), reference)) << threads;
    EXPECT_TRUE(same_bytes(parse(gzip_member(text), {.threads = threads}), reference)) << threads;
  }
}

TEST(ThreadedMatrixMarket, NamesTheFirstOfSeveralErrors) {
  std::string text = random_file(2000, 3000, 120'000, 32).first;
  std::size_t first = 0;
  for (const double part : {0.9, 0.7, 0.5}) {
    first = text.find('\n', static_cast<std::size_t>(part * static_cast<double>(text.size()))) + 1;
    text.insert(first, "7 8 x\n");
  }
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n') + 1;
  const std::string start = "m.mtx:" + std::to_string(line) + ": value 'x'";
  for (const int threads : {1, 2, 4}) {
    for (const std::string& data : {text, gzip_member(text)}) {
      try {
        parse_matrix_market(data, "m.mtx", {.threads = threads});
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with(start)) << error.what();
      }
    }
  }
}

/// A random matrix with values of all magnitudes; symmetric if asked.
CsrMatrix<double> random_matrix(std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                bool is_symmetric, unsigned seed) {
  RandomEntries random(seed);
  Entries chosen;
  for (std::int64_t k = 0; k < entries; ++k) {
    const std::int64_t row = random.index(rows);
    const std::int64_t column = random.index(columns);
    const double value = random.value();
    chosen[{row, column}] = value;
    if (is_symmetric) chosen[{column, row}] = value;
  }
  CsrMatrix<double> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_offsets.assign(rows + 1, 0);
  for (const auto& [place, value] : chosen) {
    ++matrix.row_offsets[place.first + 1];
    matrix.column_indices.push_back(static_cast<std::int32_t>(place.second));
    matrix.values.push_back(value);
  }
  for (std::int64_t row = 0; row < rows; ++row)
    matrix.row_offsets[row + 1] += matrix.row_offsets[row];
  return matrix;
}

TEST_F(MatrixMarketFolder, ReadsBackWhatItWroteBitByBit) {
  const auto matrix = random_matrix(900, 400, 150'000, false, 41);
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    write_matrix_market(folder_ / name, matrix, {.comment = "two\nlines"});
    EXPECT_TRUE(same_bytes(read_matrix_market(folder_ / name).matrix, matrix)) << name;
  }
  EXPECT_TRUE(is_gzip(read_file(folder_ / "a.mtx.gz")));
}

TEST_F(MatrixMarketFolder, WritesOneTriangleOfASymmetricMatrix) {
  const auto matrix = random_matrix(300, 300, 4'000, true, 42);
  write_matrix_market(folder_ / "a.mtx", matrix, {.symmetric = true});
  const auto file = read_matrix_market(folder_ / "a.mtx");
  EXPECT_TRUE(same_bytes(file.matrix, matrix));
  EXPECT_LT(file.header.stored_entries, matrix.nonzeros() * 6 / 10);
}

TEST_F(MatrixMarketFolder, WritesTheSameBytesFromOffsetsOf32Bits) {
  const auto matrix = random_matrix(300, 300, 4'000, true, 44);
  const NarrowOffsets<double> narrow(matrix);
  for (const bool one_triangle : {true, false}) {
    write_matrix_market(folder_ / "wide.mtx", matrix, {.symmetric = one_triangle});
    write_matrix_market(folder_ / "narrow.mtx", narrow.view(), {.symmetric = one_triangle});
    EXPECT_EQ(read_file(folder_ / "narrow.mtx"), read_file(folder_ / "wide.mtx"));
  }
}

TEST_F(MatrixMarketFolder, WritesAPatternWithoutValues) {
  const auto matrix = random_matrix(30, 40, 100, false, 43);
  write_matrix_market(folder_ / "a.mtx", matrix, {.pattern = true});
  const auto file = read_matrix_market(folder_ / "a.mtx");
  EXPECT_EQ(file.header.field, MatrixMarketField::pattern);
  EXPECT_EQ(file.matrix.column_indices, matrix.column_indices);
  EXPECT_EQ(file.matrix.row_offsets, matrix.row_offsets);
}

TEST_F(MatrixMarketFolder, ReadsFilesInPiecesAsTheirTextInMemory) {
  std::mt19937 random(31);
  std::printf("seed 31\n");
  for (const bool ended : {true, false}) {
    // Lines of all lengths, so that pieces end within short and long ones.
    std::string lines;
    int entries = 0;
    while (lines.size() < 1'500'000) {
      if (random() % 200 == 0) {
        lines += "%" + std::string(random() % 30'000, 'c') + "\r\n";
      } else {
        lines += std::to_string(1 + random() % 999) + " " + std::to_string(1 + random() % 999) +
                 " " + std::to_string(0.5 + static_cast<double>(random() % 1000)) + "\n";
        ++entries;
      }
    }
    const std::string text = std::string(general) + "%" + std::string(700'000, 'h') + "\n999 999 " +
                             std::to_string(entries + 1) + "\n" + lines + "5 5 2.5" +
                             (ended ? "\n" : "");
    write_file(folder_ / "a.mtx", text);
    const MatrixMarketFile in_memory = parse_matrix_market(text, "m.mtx");
    const MatrixMarketFile in_file = read_matrix_market(folder_ / "a.mtx", {.threads = 2});
    EXPECT_TRUE(same_bytes(in_file.matrix, in_memory.matrix));
    EXPECT_EQ(in_file.duplicates, in_memory.duplicates);
    EXPECT_EQ(in_file.header.stored_entries, entries + 1);
  }
}

TEST_F(MatrixMarketFolder, WritesAVectorAsAnArrayThatReadsBackExactly) {
  const std::vector<double> values{1.0 / 3, -2e-300, 7, 1e300};
  for (const char* name : {"v.mtx", "v.mtx.gz"}) {
    write_matrix_market_vector(folder_ / name, values, "a vector");
    const MatrixMarketFile file = read_matrix_market(folder_ / name);
    EXPECT_FALSE(file.header.coordinate);
    EXPECT_EQ(file.matrix.columns, 1);
    EXPECT_TRUE(std::ranges::equal(file.matrix.values, values));
  }
}

TEST_F(MatrixMarketFolder, RefusesToWriteAnUnsymmetricMatrixAsSymmetric) {
  const auto matrix = random_matrix(30, 30, 100, false, 44);
  EXPECT_THROW(write_matrix_market(folder_ / "a.mtx", matrix, {.symmetric = true}), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(MatrixMarketFolder, RefusesToWriteValuesThatAreNotFinite) {
  auto matrix = random_matrix(30, 30, 100, false, 45);
  matrix.values[50] = std::nan("");
  EXPECT_THROW(write_matrix_market(folder_ / "a.mtx", matrix), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST(RealMatrices, HaveTheCountsOfTheirIndex) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const fs::path folder = SPARSECAST_MATRICES;
  std::ifstream index(folder / "INDEX.tsv");
  if (!index) GTEST_SKIP() << "no " << folder;
  std::string line;
  std::getline(index, line);
  int files = 0;
  while (std::getline(index, line)) {
    std::vector<std::string> fields;
    std::stringstream row(line);
    for (std::string field; std::getline(row, field, '\t');) fields.push_back(field);
    ASSERT_GE(fields.size(), 8u) << line;
    const fs::path path = folder / (fields[0] + ".mtx.gz");
    const std::string note = fields.size() > 8 ? fields[8] : "";
    ++files;
    if (note == "complex values") {
      try {
        read_matrix_market(path);
        ADD_FAILURE() << path;
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what())
                        .starts_with(path.string() + ":1: complex values are not supported"))
            << error.what();
      }
      continue;
    }
    // Some files there have a damaged banner, which the reader refuses: repaired here.
    std::string text;
    const std::string compressed = read_file(path);
    const MemoryBytes bytes(compressed);
    GzipReader reader(bytes);
    std::string piece(1 << 20, '\0');
    while (const std::size_t size = reader.read(piece.data(), piece.size()))
      text.append(piece, 0, size);
    if (!text.starts_with("%%")) {
      EXPECT_THROW(read_matrix_market(path), Error) << path;
      text.insert(0, "%");
    } else {
      text = compressed;
    }
    const auto matrix = parse_matrix_market(text, fields[0]).matrix;
    check_csr(matrix.view());
    EXPECT_EQ(matrix.rows, std::stoll(fields[1])) << path;
    EXPECT_EQ(matrix.columns, std::stoll(fields[2])) << path;
    const std::string stores = "file stores ";
    const std::int64_t nonzeros =
        std::stoll(note.starts_with(stores) ? note.substr(stores.size()) : fields[3]);
    EXPECT_EQ(matrix.nonzeros(), nonzeros) << path;
  }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace sparsecast
