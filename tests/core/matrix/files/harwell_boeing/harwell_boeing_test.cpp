#include "core/matrix/files/harwell_boeing/harwell_boeing.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/matrix/files/golden_files.hpp"

namespace sparsecast {
namespace {

/// A lower triangle of 2 x 2, column by column, with any line replaced.
std::string file(int line = 0, const std::string& replaced = "") {
  const char* const lines[] = {
      "title                                                                   key",
      "             3             1             1             1             0",
      "RSA                        2             2             3             0",
      "(8I4)           (8I4)           (4E12.4)            ",
      "   1   3   4",
      "   1   2   2",
      "  1.0000E+00 -2.5000D+00      5.0+01"};
  std::string text;
  for (int k = 0; k < 7; ++k) text += (k + 1 == line ? replaced : lines[k]) + std::string("\n");
  return text;
}

std::string refusal(int line, const std::string& replaced) {
  return refusal_of_bytes(file(line, replaced));
}

TEST(HarwellBoeing, ReadsFixedColumnsAndEveryExponent) {
  EXPECT_EQ(parse_bytes(file()).matrix.values, (Buffer<double>{1, -2.5, -2.5, 50}));
}

TEST(HarwellBoeing, TakesLinesOfOtherSystems) {
  std::string text = file();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  EXPECT_EQ(parse_bytes(text).matrix.values, (Buffer<double>{1, -2.5, -2.5, 50}));
  text.resize(text.size() - 2);
  EXPECT_EQ(parse_bytes(text).matrix.values, (Buffer<double>{1, -2.5, -2.5, 50}));
}

TEST(HarwellBoeing, LeavesRightHandSidesAlone) {
  std::string text =
      file(2, "             4             1             1             1             1");
  text.insert(text.find("   1   3   4"), "F                          1             0\n");
  EXPECT_EQ(parse_bytes(text + "  1.0000E+00  1.0000E+00\n").matrix.nonzeros(), 4);
}

TEST(HarwellBoeing, RefusesTypesThatAreNoAssembledRealMatrix) {
  const auto type = [](const std::string& letters) {
    return refusal(3,
                   letters + "                        2             2             3             0");
  };
  EXPECT_TRUE(type("CSA").starts_with("m: line 3: complex values are not supported"));
  EXPECT_TRUE(type("RHA").starts_with("m: line 3: Hermitian matrices are not supported"));
  EXPECT_TRUE(type("RSE").starts_with("m: line 3: the matrix is not assembled (type 'RSE')"));
  EXPECT_TRUE(type("QSA").starts_with("m: line 3: the values are in another file (type 'QSA')"));
  EXPECT_TRUE(refusal_of_bytes(golden("elements.rb")).starts_with("m: line 3: the matrix is not"));
}

TEST(HarwellBoeing, ComparesItsCountsBeforeMemoryIsTaken) {
  EXPECT_TRUE(refusal(3, "RSA                        2             2    2147483647             0")
                  .starts_with("m: line 2: 1 line of row indices, but 2147483647 of them take"));
  EXPECT_TRUE(refusal(3, "RSA                        2             3             3             0")
                  .starts_with("m: line 3: a symmetric matrix of 2 x 3"));
  EXPECT_TRUE(refusal(3, "RSA               2147483647    2147483647             3             0")
                  .starts_with("m: line 3: 2147483647 rows for 3 entries"));
  EXPECT_TRUE(refusal(2, "             3             2             1             1             0")
                  .starts_with("m: line 2: 2 lines of column offsets, but 3 of them take 1"));
  EXPECT_TRUE(refusal(2, "             3            -1             1             1             0")
                  .starts_with("m: line 2: '-1' is no count"));
}

TEST(HarwellBoeing, NamesTheLineOfWhatIsWrong) {
  EXPECT_TRUE(refusal(4, "(8I4)           (8F4.1)         (4E12.4)")
                  .starts_with("m: line 4: the format of row indices is '(8F4.1)"));
  EXPECT_TRUE(refusal(4, "(8I4)           (8I4)           (4E12.4,I3)")
                  .starts_with("m: line 4: the format '(4E12.4,I3)' is not understood"));
  EXPECT_EQ(refusal(5, "   1   5   4"), "m: line 5: column offset 5; expected 1 to 4");
  EXPECT_EQ(refusal(5, "   1   3   3"), "m: line 5: column offset 3; expected 4 to 4");
  EXPECT_EQ(refusal(6, "   1   3   2"),
            "m: line 6: row index 3 lies outside the matrix; expected 1 to 2");
  EXPECT_EQ(refusal(6, "   1   2   1"),
            "m: line 6: entry (1, 2) lies above the diagonal of a symmetric matrix; expected the "
            "lower triangle only");
  EXPECT_TRUE(refusal(6, "   1   x   2").starts_with("m: line 6: 'x' is not a whole number"));
  EXPECT_TRUE(refusal(7, "  1.0000E+00         NaN      5.0+01")
                  .starts_with("m: line 7: value 'NaN' is not a number"));
  EXPECT_TRUE(refusal(7, "  1.0000E+00").starts_with("m: line 7: the line ends early"));
}

}  // namespace
}  // namespace sparsecast
