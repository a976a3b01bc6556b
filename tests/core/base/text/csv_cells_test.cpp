#include "core/base/text/csv_cells.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparsecast {
namespace {

using Cells = std::vector<std::string>;

TEST(CsvCells, AreReadBackWhateverTheyHold) {
  const Cells cells{"plain", "a, b", "\"quoted\"", "# no comment", " spaces ", "two\nlines", ""};
  std::string text;
  for (const std::string& cell : cells) text += (text.empty() ? "" : ",") + csv_cell(cell);
  text += "\r\nnext";
  std::string_view left = text;
  std::string_view line;
  ASSERT_TRUE(take_csv_line(left, line));
  EXPECT_EQ(split_csv_cells(line, 100), cells);
  EXPECT_EQ(left, "next");
}

TEST(CsvCells, BeyondTheMostAreLeftTogether) {
  EXPECT_EQ(split_csv_cells("a,b,c,d", 3), (Cells{"a", "b", "c,d"}));
}

TEST(CsvCells, OfALineWithAQuoteWithoutItsEndAreRefused) {
  std::string_view text = "a,\"b\nc";
  std::string_view line;
  EXPECT_FALSE(take_csv_line(text, line));
}

TEST(CsvCells, TakeNoQuotesFromComments) {
  std::string_view text = "# 5\" wide\na";
  std::string_view line;
  ASSERT_TRUE(take_csv_line(text, line));
  EXPECT_EQ(line, "# 5\" wide");
  EXPECT_EQ(text, "a");
}

}  // namespace
}  // namespace sparsecast
