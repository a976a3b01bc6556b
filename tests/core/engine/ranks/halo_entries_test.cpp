#include "core/engine/ranks/halo_entries.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>

#include "core/random_part.hpp"

namespace sparsecast {
namespace {

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

Entries entries_of(const CsrMatrix<double>& matrix) {
  Entries entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row) + 1]); ++k) {
      entries[{row, matrix.column_indices[k]}] = matrix.values[k];
    }
  }
  return entries;
}

TEST(SplitAtHalo, TakesEveryEntryOnceByItsColumn) {
  // The last is split by several threads.
  for (const auto& [numbers, own] : {std::pair<std::int64_t, Segment>{60, {20, 45}},
                                     {40, {0, 17}},
                                     {40, {23, 40}},
                                     {60'000, {8'000, 50'000}}}) {
    const CsrMatrix<double> matrix =
        random_part<double>(numbers, own, 5, static_cast<unsigned>(numbers));
    const SplitMatrix<double> split = split_at_halo(matrix.view(), own);
    EXPECT_NO_THROW(check_csr(split.own.view()));
    EXPECT_EQ(split.own.rows, numbers);
    EXPECT_EQ(split.own.columns, numbers);
    Entries together = entries_of(split.own);
    for (const auto& [place, value] : together) {
      EXPECT_GE(place.second, own.begin_row);
      EXPECT_LT(place.second, own.end_row);
    }
    const HaloEntries<double>& halo = split.halo;
    ASSERT_EQ(halo.offsets.size(), halo.rows.size() + 1);
    for (std::size_t i = 0; i < halo.rows.size(); ++i) {
      EXPECT_LT(halo.offsets[i], halo.offsets[i + 1]);
      for (auto k = static_cast<std::size_t>(halo.offsets[i]);
           k < static_cast<std::size_t>(halo.offsets[i + 1]); ++k) {
        const std::int64_t column = own.begin_row + halo.columns[k];
        EXPECT_TRUE(column < own.begin_row || column >= own.end_row);
        EXPECT_TRUE(
            together.emplace(std::pair(own.begin_row + halo.rows[i], column), halo.values[k])
                .second);
      }
    }
    EXPECT_EQ(together, entries_of(matrix));
  }
}

TEST(SplitAtHalo, LeavesAPartWithoutAHaloAsItIs) {
  const CsrMatrix<double> matrix = random_csr<double>(30, 30, 4, 3);
  const SplitMatrix<double> split = split_at_halo(matrix.view(), {0, 30});
  EXPECT_EQ(split.own.column_indices, matrix.column_indices);
  EXPECT_EQ(split.own.values, matrix.values);
  EXPECT_TRUE(split.halo.rows.empty());
  EXPECT_EQ(split.halo.offsets, Buffer<std::int64_t>{0});
}

}  // namespace
}  // namespace sparsecast
