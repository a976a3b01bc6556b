#include "core/formats/ell/ell.hpp"

#include <gtest/gtest.h>

#include "core/formats/bell_garland_example.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

const Layout ell{"ell", 1, RowOrder::natural};

TEST(LongestRow, IsThatOfTheSegment) {
  const CsrMatrix<double> matrix = bell_garland_example();
  EXPECT_EQ(longest_row(matrix.view().pattern(), {0, 4}), 3);
  EXPECT_EQ(longest_row(matrix.view().pattern(), {0, 2}), 2);
  EXPECT_EQ(longest_row(matrix.view().pattern(), {2, 2}), 0);
  EXPECT_NE(refusal_of([&] { longest_row(matrix.view().pattern(), {0, 5}); }), "accepted");
}

TEST(ThreadedLongestRow, IsTheSameOnAnyNumberOfThreads) {
  const CsrMatrix<float> matrix = random_csr<float>(20000, 15000, 3, 5);
  const std::int64_t alone = longest_row(matrix.view().pattern(), {100, 19000}, 1);
  EXPECT_GT(alone, 3);
  EXPECT_EQ(longest_row(matrix.view().pattern(), {100, 19000}, 4), alone);
}

/// One line a row of the matrix: a storage of `width` columns, without what fills columns up.
template <class Value>
std::vector<std::vector<Value>> by_rows(const Buffer<Value>& stored, const EllMatrix<double>& a) {
  std::vector<std::vector<Value>> lines(static_cast<std::size_t>(a.rows));
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t k = 0; k < a.width; ++k) lines[i].push_back(stored[k * a.stride + i]);
  }
  return lines;
}

TEST(ConvertToEll, StoresTheExampleOfThePaper) {
  const CsrMatrix<double> matrix = bell_garland_example();
  const EllMatrix<double> stored = convert_to_ell(matrix.view(), {0, 4}, 3);
  EXPECT_EQ(stored.stride, 32);
  EXPECT_EQ(stored.column_indices.size(), 3u * 32);
  // Figure 7, whose * are zeros in the column before them.
  EXPECT_EQ(by_rows(stored.values, stored),
            (std::vector<std::vector<double>>{{1, 7, 0}, {2, 8, 0}, {5, 3, 9}, {6, 4, 0}}));
  EXPECT_EQ(by_rows(stored.column_indices, stored),
            (std::vector<std::vector<std::int32_t>>{{0, 1, 1}, {1, 2, 2}, {0, 2, 3}, {1, 3, 3}}));
}

TEST(ConvertToEll, StoresNoMoreThanTheFirstEntriesOfEachRow) {
  const CsrMatrix<double> matrix = bell_garland_example();
  const EllMatrix<double> stored = convert_to_ell(matrix.view(), {1, 4}, 1);
  EXPECT_EQ(by_rows(stored.values, stored), (std::vector<std::vector<double>>{{2}, {5}, {6}}));
  EXPECT_EQ(by_rows(stored.column_indices, stored),
            (std::vector<std::vector<std::int32_t>>{{1}, {0}, {1}}));
}

TEST(ConvertToEll, GivesEveryPlaceAColumnOfTheMatrix) {
  // Empty rows, more of them than columns.
  const CsrMatrix<double> matrix = random_csr<double>(90, 40, 2, 6);
  for (const Segment segment : {Segment{0, 90}, Segment{32, 50}, Segment{7, 7}}) {
    const std::int64_t width = longest_row(matrix.view().pattern(), segment);
    const EllMatrix<double> stored = convert_to_ell(matrix.view(), segment, width);
    ASSERT_EQ(std::ssize(stored.values), width * ell_stride(segment.rows()));
    ASSERT_EQ(stored.column_indices.size(), stored.values.size());
    for (const std::int32_t column : stored.column_indices) {
      ASSERT_GE(column, 0);
      ASSERT_LT(column, 40);
    }
  }
}

TEST(Ell, RefusesALongestRowThatCouldNeverPayForAllByForecastToo) {
  CsrMatrix<double> matrix = laplacian(3, 10000);
  // The first row becomes 1000 long.
  const std::int64_t more = 1000 - matrix.row_offsets[1];
  matrix.column_indices.erase(matrix.column_indices.begin(), matrix.column_indices.begin() + 2);
  for (std::int32_t j = 999; j >= 0; --j) {
    matrix.column_indices.insert(matrix.column_indices.begin(), j);
  }
  matrix.values.resize(matrix.column_indices.size(), 1);
  for (std::size_t row = 1; row < matrix.row_offsets.size(); ++row) matrix.row_offsets[row] += more;
  const std::string why =
      "layout ell: all 10000 rows would take the 1000 entries of the longest, 323 times the "
      "nonzeros (at most 4 times could pay); use csr or hyb";
  EXPECT_EQ(refusal_of([&] { require_ell_fits(10000, matrix.nonzeros(), 1000); }), why);

  const Format& format = format_of(ell);
  PatternNumbers numbers;
  numbers.rows = numbers.columns = 10000;
  numbers.nonzeros = static_cast<double>(matrix.nonzeros());
  EXPECT_EQ(refusal_of([&] { format.shape(numbers, ell); }),
            "layout ell: the length of the longest row is not known from numbers; give the matrix "
            "itself");
  numbers.counts = format.count(matrix.view().pattern(), {0, matrix.rows}, Layout{"ell"}, 1, {});
  EXPECT_EQ(format.refusal(numbers, ell), why);

  // Small ones take little, however much of it is padding.
  EXPECT_EQ(ell_refusal(1000, 1999, 1000), "");
}

TEST(Ell, HasThePaddedSizeInItsShape) {
  PatternNumbers numbers;
  numbers.rows = 100;
  numbers.columns = 90;
  numbers.nonzeros = 300;
  numbers.counts = {{"length of the longest row", 7}};
  const SegmentShape shape = format_of(ell).shape(numbers, ell);
  EXPECT_EQ(shape.elements, 7 * 128);
  EXPECT_EQ(shape.blocks, 7 * 128);
  EXPECT_EQ(shape.block_rows, 100);
  EXPECT_EQ(shape.total_unknowns, 90);
  EXPECT_EQ(shape.index_bytes, 4);
  EXPECT_EQ(shape.offset_bytes, 0);
}

TEST(Ell, IsForWhoeverAsksForIt) {
  EXPECT_EQ(std::ranges::count(usual_layouts(), ell), 0);
  EXPECT_TRUE(has_cpu_products(ell));
}

}  // namespace
}  // namespace sparsecast
