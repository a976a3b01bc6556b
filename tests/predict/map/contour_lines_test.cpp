#include "predict/map/contour_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A function of column and row on a grid of eleven columns and nine rows.
template <class Function>
std::vector<double> grid(const Function& function) {
  std::vector<double> values;
  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 11; ++column) values.push_back(function(column, row));
  }
  return values;
}

TEST(ContourLines, OfAPlaneIsOneStraightLineFromBorderToBorder) {
  const auto lines = contour_lines(grid([](int c, int r) { return 2.0 * c + r; }), 11, 10.5);
  ASSERT_EQ(lines.size(), 1u);
  for (const ContourPoint& point : lines[0]) {
    EXPECT_NEAR(2 * point.column + point.row, 10.5, 1e-12);
  }
  const auto [low, high] = std::ranges::minmax(lines[0], {}, &ContourPoint::row);
  EXPECT_EQ(low.row, 0);
  EXPECT_EQ(high.row, 8);
}

TEST(ContourLines, AroundAPeakIsClosed) {
  const auto lines =
      contour_lines(grid([](int c, int r) { return -std::hypot(c - 5, r - 4); }), 11, -2.5);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].front().column, lines[0].back().column);
  EXPECT_EQ(lines[0].front().row, lines[0].back().row);
  for (const ContourPoint& point : lines[0]) {
    EXPECT_NEAR(std::hypot(point.column - 5, point.row - 4), 2.5, 0.1);
  }
}

TEST(ContourLines, GoAroundBothPeaksOfASaddle) {
  // The middle, 0.5, is below the level: the two high corners stay apart.
  EXPECT_EQ(contour_lines(std::vector<double>{1, 0, 0, 1}, 2, 0.6).size(), 2u);
  const auto apart = contour_lines(std::vector<double>{1, 0, 0, 1}, 2, 0.6);
  for (const ContourLine& line : apart) {
    ASSERT_EQ(line.size(), 2u);
    // From the sides of a corner that is above, not across the middle.
    const double sum = line[0].column + line[0].row + line[1].column + line[1].row;
    EXPECT_NEAR(std::abs(sum - 2), 1.2, 1e-12);
  }
  const auto joined = contour_lines(std::vector<double>{1, 0, 0, 1}, 2, 0.4);
  ASSERT_EQ(joined.size(), 2u);
  for (const ContourLine& line : joined) {
    const double difference = line[0].column + line[1].column - line[0].row - line[1].row;
    EXPECT_NEAR(std::abs(difference), 1.2, 1e-12);
  }
}

TEST(ContourLines, EndWhereAValueIsMissing) {
  const auto lines = contour_lines(
      grid([](int c, int r) { return r == 4 && c == 5 ? nan : static_cast<double>(c); }), 11, 5.5);
  ASSERT_EQ(lines.size(), 2u);
  for (const ContourLine& line : lines) {
    for (const ContourPoint& point : line) EXPECT_TRUE(point.row <= 3 || point.row >= 5);
  }
}

TEST(ContourLines, AreNoneWhereNothingReachesTheLevel) {
  EXPECT_TRUE(contour_lines(grid([](int, int) { return 1.0; }), 11, 2).empty());
  EXPECT_TRUE(contour_lines(grid([](int, int) { return 2.0; }), 11, 2).empty());
}

TEST(ContourLines, RefuseValuesThatAreNoWholeRows) {
  EXPECT_THROW(contour_lines(std::vector<double>(7), 2, 0), Error);
  EXPECT_THROW(contour_lines(std::vector<double>(7), 0, 0), Error);
}

}  // namespace
}  // namespace sparsecast
