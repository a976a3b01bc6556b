#include "core/formats/sell/sell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

std::vector<Layout> sell_layouts() {
  std::vector<Layout> layouts;
  for (const Layout& layout : all_layouts()) {
    if (layout.format == "sell") layouts.push_back(layout);
  }
  return layouts;
}

template <class T>
int column_bytes(const SellMatrix<T>& sell, std::int64_t slice) {
  const std::uint32_t groups = sell.group_begins[slice + 1] - sell.group_begins[slice];
  const std::uint32_t units = sell.column_begins[slice + 1] - sell.column_begins[slice];
  return groups == 0 ? 0 : static_cast<int>(units / groups);
}

/// What is stored: the entries of each row of the segment, by column of the whole matrix; those of
/// value 0 are padding.
template <class T>
std::vector<std::map<std::int64_t, T>> rows_of(const SellMatrix<T>& sell) {
  std::vector<std::map<std::int64_t, T>> rows(static_cast<std::size_t>(sell.rows));
  const std::int64_t size = sell.group();
  for (std::int64_t slice = 0; slice < sell.slices(); ++slice) {
    const int width = column_bytes(sell, slice);
    for (std::int64_t group = sell.group_begins[slice]; group < sell.group_begins[slice + 1];
         ++group) {
      for (std::int64_t l = 0; l < size; ++l) {
        const T value = sell.values[group * size + l];
        std::int64_t difference = width == 0 ? l : 0;
        const std::int64_t entry = (group - sell.group_begins[slice]) * size + l;
        for (int byte = 0; byte < width; ++byte) {
          const std::int64_t place =
              std::int64_t{sell.column_begins[slice]} * size + entry * width + byte;
          difference |= std::int64_t{sell.column_bytes[place]} << (8 * byte);
        }
        const std::int64_t column = sell.first_row + sell.bases[group] + difference;
        EXPECT_GE(column, 0);
        EXPECT_LT(column, sell.columns);
        if (value == 0) continue;
        const std::int64_t stored = slice * sell.slice_height + l % sell.slice_height;
        if (stored >= sell.rows) {
          ADD_FAILURE() << "an entry behind the last row";
          continue;
        }
        const std::int64_t row = sell.row_index.empty() ? stored : sell.row_index[stored];
        EXPECT_TRUE(rows[row].emplace(column, value).second) << row << ", " << column;
      }
    }
  }
  return rows;
}

template <class T>
void expect_nothing_lost(const CsrMatrix<T>& matrix, const Segment& segment) {
  for (const Layout& layout : sell_layouts()) {
    SCOPED_TRACE(to_string(layout));
    const SellMatrix<T> sell = convert_to_sell(matrix.view(), segment, layout);
    std::vector<std::map<std::int64_t, T>> expected(static_cast<std::size_t>(segment.rows()));
    for (std::int64_t i = 0; i < segment.rows(); ++i) {
      const std::int64_t row = segment.begin_row + i;
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        expected[i][matrix.column_indices[k]] = matrix.values[k];
      }
    }
    EXPECT_EQ(rows_of(sell), expected);
    const SellSize size = sell_size(matrix.view().pattern(), segment, layout);
    EXPECT_EQ(size, (SellSize{sell.groups(), std::int64_t{sell.column_begins.back()}}));
    EXPECT_EQ(std::ssize(sell.values), size.groups * sell.group());
    EXPECT_EQ(std::ssize(sell.column_bytes), size.column_units * sell.group());
  }
}

TEST(ConvertToSell, LosesNothing) {
  expect_nothing_lost(random_csr<double>(90, 70, 4, 1), {0, 90});
  expect_nothing_lost(random_csr<float>(1500, 1500, 9, 2), {0, 1500});
  expect_nothing_lost(random_csr<double>(1500, 100'000, 9, 3), {0, 1500});
  expect_nothing_lost(laplacian(27, 20, 20, 20), {0, 8000});
  expect_nothing_lost(laplacian(5, 64, 64), {0, 4096});
}

TEST(ConvertToSell, LosesNothingOfASegment) {
  expect_nothing_lost(laplacian(27, 20, 20, 20), {777, 5000});
  expect_nothing_lost(random_csr<float>(1500, 1500, 9, 4), {1499, 1500});
  expect_nothing_lost(random_csr<float>(1500, 1500, 9, 4), {5, 5});
}

TEST(ConvertToSell, StoresTheStepsOfASliceSideBySide) {
  // Row i has entries in columns 10 i and 10 i + 1, the last one a third.
  CsrMatrix<double> matrix;
  matrix.rows = 8;
  matrix.columns = 1000;
  matrix.row_offsets.push_back(0);
  for (std::int32_t i = 0; i < 8; ++i) {
    for (std::int32_t k = 0; k < (i == 7 ? 3 : 2); ++k) {
      matrix.column_indices.push_back(10 * i + k);
      matrix.values.push_back(i + 0.1 * (k + 1));
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  const SellMatrix<double> sell = convert_to_sell(matrix.view(), {0, 8}, parse_layout("sell8"));
  ASSERT_EQ(sell.slices(), 1);
  ASSERT_EQ(sell.groups(), 1);
  EXPECT_EQ(column_bytes(sell, 0), 1);
  EXPECT_EQ(sell.bases[0], 0);
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 4; ++k) {
      const bool has_entry = k < (i == 7 ? 3 : 2);
      EXPECT_EQ(sell.values[k * 8 + i], has_entry ? i + 0.1 * (k + 1) : 0);
      EXPECT_EQ(sell.column_bytes[k * 8 + i], has_entry ? 10 * i + k : 0);
    }
  }
}

TEST(ConvertToSell, TakesNoColumnsOnDiagonals) {
  const CsrMatrix<double> grid = laplacian(27, 64, 64, 64);
  const SellMatrix<double> sell =
      convert_to_sell(grid.view(), {0, grid.rows}, parse_layout("sell32"));
  // The first slices would look up columns in front of the matrix, the last ones behind it.
  EXPECT_NE(column_bytes(sell, 0), 0);
  for (std::int64_t slice = 64 * 65 / 32 + 1; slice < sell.slices() - 64 * 65 / 32 - 1; ++slice) {
    ASSERT_EQ(column_bytes(sell, slice), 0) << slice;
  }
  EXPECT_LE(sell.groups() * 32, 27 * grid.rows);
}

TEST(ConvertToSell, TakesAsFewBytesForColumnsAsASliceNeeds) {
  // Slice s has rows of three entries; the second ones lie within a reach that grows.
  const std::int64_t reaches[] = {100, 30'000, 3'000'000};
  CsrMatrix<float> matrix;
  matrix.columns = 4'000'000;
  matrix.row_offsets.push_back(0);
  for (const std::int64_t reach : reaches) {
    for (std::int64_t i = 0; i < 32; ++i) {
      for (const std::int64_t column :
           {std::int64_t{5}, 40 + i * i * reach / 961, 3'999'999 - i % 7}) {
        matrix.column_indices.push_back(static_cast<std::int32_t>(column));
        matrix.values.push_back(1);
      }
      matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
      ++matrix.rows;
    }
  }
  const SellMatrix<float> sell =
      convert_to_sell(matrix.view(), {0, matrix.rows}, parse_layout("sell32"));
  ASSERT_EQ(sell.slices(), 3);
  EXPECT_EQ(column_bytes(sell, 0), 1);
  EXPECT_EQ(column_bytes(sell, 1), 2);
  EXPECT_EQ(column_bytes(sell, 2), 4);
}

TEST(SellRowIndex, SortsWithinWindows) {
  const CsrMatrix<double> matrix = random_csr<double>(3000, 3000, 20, 5);
  const Segment segment{100, 2900};
  const auto length = [&](std::int32_t row) {
    return matrix.row_offsets[100 + row + 1] - matrix.row_offsets[100 + row];
  };
  for (const auto& [name, window] : {std::pair{"sell32-sorted512", 512}, {"sell8-sorted", 2800}}) {
    const Buffer<std::int32_t> order =
        sell_row_index(matrix.view().pattern(), segment, parse_layout(name));
    ASSERT_EQ(std::ssize(order), segment.rows());
    std::vector<bool> seen(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      seen[static_cast<std::size_t>(order[place])] = true;
      EXPECT_EQ(order[place] / window, static_cast<std::int64_t>(place) / window);
      if (place % static_cast<std::size_t>(window) == 0) continue;
      const std::pair here{-length(order[place]), order[place]};
      EXPECT_LT((std::pair{-length(order[place - 1]), order[place - 1]}), here);
    }
    EXPECT_EQ(std::ranges::count(seen, true), segment.rows());
  }
  EXPECT_TRUE(sell_row_index(matrix.view().pattern(), segment, parse_layout("sell32")).empty());
}

TEST(ConvertToSell, RefusesWhatCouldNeverPay) {
  constexpr std::int64_t rows = 200'000;
  // A long row in every eighth slice of 32.
  CsrMatrix<double> uneven;
  uneven.rows = uneven.columns = rows;
  uneven.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const int length = row % 256 == 0 ? 500 : 3;
    for (int k = 0; k < length; ++k) {
      uneven.column_indices.push_back(k);
      uneven.values.push_back(1);
    }
    uneven.row_offsets.push_back(std::ssize(uneven.column_indices));
  }
  try {
    convert_to_sell(uneven.view(), {0, uneven.rows}, parse_layout("sell32"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "layout sell: slices of 32 rows, padded to their longest ones, take 13 times as many "
              "values as there are nonzeros (at most 4 times could pay); use csr, or sort rows: "
              "sell32-sorted");
  }
  EXPECT_GT(
      convert_to_sell(uneven.view(), {0, uneven.rows}, parse_layout("sell32-sorted")).groups(), 0);
}

TEST(ThreadedConvertToSell, IsTheSameOnAnyNumberOfThreads) {
  const CsrMatrix<float> matrix = random_csr<float>(20'000, 15'000, 6, 6);
  for (const Layout& layout : sell_layouts()) {
    const SellMatrix<float> alone = convert_to_sell(matrix.view(), {100, 19'000}, layout, 1);
    const SellMatrix<float> together = convert_to_sell(matrix.view(), {100, 19'000}, layout, 4);
    EXPECT_EQ(together.values, alone.values);
    EXPECT_EQ(together.column_bytes, alone.column_bytes);
    EXPECT_EQ(together.bases, alone.bases);
    EXPECT_EQ(together.group_begins, alone.group_begins);
    EXPECT_EQ(together.column_begins, alone.column_begins);
    EXPECT_EQ(together.row_index, alone.row_index);
  }
}

}  // namespace
}  // namespace sparsecast
