#include "core/formats/cusparse/sliced_ell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/formats/bell_garland_example.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// Rows 0 to 3 of a column of the only slice.
template <class Value>
std::vector<Value> column(const Buffer<Value>& stored, int k) {
  const auto first = stored.begin() + k * sliced_ell_height;
  return {first, first + 4};
}

TEST(ConvertToSlicedEll, StoresSlicesColumnByColumnWithPaddingInColumnMinusOne) {
  // Rows {1 7}, {2 8}, {5 3 9}, {6 4}.
  const CsrMatrix<double> matrix = bell_garland_example();
  const SlicedEllMatrix<double> stored = convert_to_sliced_ell(matrix.view(), {0, 4});
  EXPECT_EQ(stored.slice_offsets, (Buffer<std::int32_t>{0, 96}));
  ASSERT_EQ(stored.values.size(), 96u);
  EXPECT_EQ(column(stored.values, 0), (std::vector<double>{1, 2, 5, 6}));
  EXPECT_EQ(column(stored.values, 1), (std::vector<double>{7, 8, 3, 4}));
  EXPECT_EQ(column(stored.values, 2), (std::vector<double>{0, 0, 9, 0}));
  EXPECT_EQ(column(stored.column_indices, 0), (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(column(stored.column_indices, 1), (std::vector<std::int32_t>{1, 2, 2, 3}));
  EXPECT_EQ(column(stored.column_indices, 2), (std::vector<std::int32_t>{-1, -1, 3, -1}));
  // Rows that fill the slice up.
  EXPECT_EQ(std::ranges::count(stored.column_indices, -1), 96 - matrix.nonzeros());
  EXPECT_EQ(std::ranges::count(stored.values, 0), 96 - matrix.nonzeros());
}

TEST(ThreadedConvertToSlicedEll, HoldsExactlyTheRowsOfASegmentOnAnyNumberOfThreads) {
  // Empty rows, and slices without entries behind them.
  CsrMatrix<float> matrix = random_csr<float>(9001, 3000, 3, 21);
  for (int row = 0; row < 100; ++row) {
    ++matrix.rows;
    matrix.row_offsets.push_back(matrix.row_offsets.back());
  }
  for (const Segment segment : {Segment{0, 9101}, Segment{37, 8200}, Segment{5, 5}}) {
    for (const int threads : {1, 3}) {
      const SlicedEllMatrix<float> stored = convert_to_sliced_ell(matrix.view(), segment, threads);
      ASSERT_EQ(std::ssize(stored.values),
                sliced_ell_values(matrix.view().pattern(), segment, threads));
      ASSERT_EQ(stored.slice_offsets.back(), std::ssize(stored.values));
      std::int64_t entries = 0;
      for (std::int64_t i = 0; i < segment.rows(); ++i) {
        const std::int64_t slice = i / sliced_ell_height;
        std::int64_t entry = matrix.row_offsets[segment.begin_row + i];
        const std::int64_t end = matrix.row_offsets[segment.begin_row + i + 1];
        for (std::int64_t place = stored.slice_offsets[slice] + i % sliced_ell_height;
             place < stored.slice_offsets[slice + 1]; place += sliced_ell_height) {
          if (stored.column_indices[place] < 0) continue;
          ASSERT_LT(entry, end);
          ASSERT_EQ(stored.column_indices[place], matrix.column_indices[entry]);
          ASSERT_EQ(stored.values[place], matrix.values[entry]);
          ++entry;
          ++entries;
        }
        ASSERT_EQ(entry, end);
      }
      EXPECT_EQ(std::ssize(stored.column_indices) -
                    std::ranges::count(stored.column_indices, std::int32_t{-1}),
                entries);
    }
  }
}

TEST(SlicedEll, RefusesPaddingThatCouldNeverPayForAllByForecastToo) {
  // One row in 32 has 1000 entries, the others one: 4 times 2^20 values and more.
  CsrMatrix<double> matrix;
  matrix.rows = 64 * 1024;
  matrix.columns = 2000;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int32_t entries = row % 32 == 0 ? 1000 : 1;
    for (std::int32_t j = 0; j < entries; ++j) {
      matrix.column_indices.push_back(j);
      matrix.values.push_back(1);
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  const std::string why =
      "layout cusparse-sell: slices of 32 rows, padded to their longest ones, take 31 times as "
      "many "
      "values as there are nonzeros (at most 4 times could pay); use csr, or sort rows: "
      "sell32-sorted";
  EXPECT_EQ(refusal_of([&] { convert_to_sliced_ell(matrix.view(), {0, matrix.rows}); }), why);

  const Layout sell = parse_layout("cusparse-sell");
  const Format& format = format_of(sell);
  PatternNumbers numbers;
  numbers.rows = static_cast<double>(matrix.rows);
  numbers.nonzeros = static_cast<double>(matrix.nonzeros());
  EXPECT_EQ(
      refusal_of([&] { format.shape(numbers, sell); }),
      "layout cusparse-sell: the number of values in slices is not known from numbers; give the "
      "matrix itself");
  numbers.counts = format.count(matrix.view().pattern(), {0, matrix.rows}, sell, 1, {});
  EXPECT_EQ(format.refusal(numbers, sell), why);
  EXPECT_EQ(format.refusal(numbers, parse_layout("cusparse-coo")), "");
}

}  // namespace
}  // namespace sparsecast
