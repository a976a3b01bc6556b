#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

/// The segment as a dense matrix of whole blocks, from the block storage.
template <class T>
std::vector<T> dense_of(const BcsrMatrix<T>& a) {
  const std::int64_t n = a.block_size;
  const std::int64_t width = (a.columns + n - 1) / n * n;
  std::vector<T> dense(static_cast<std::size_t>(a.block_rows * n * width), T{0});
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.block_rows); ++k) {
    const std::int64_t row =
        a.row_index.empty() ? static_cast<std::int64_t>(k) : std::int64_t{a.row_index[k]};
    for (std::int64_t b = a.block_offsets[k]; b < a.block_offsets[k + 1]; ++b) {
      const std::int64_t column = a.block_columns[static_cast<std::size_t>(b)];
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          dense[static_cast<std::size_t>((row * n + i) * width + column * n + j)] +=
              a.values[static_cast<std::size_t>(b * n * n + i * n + j)];
        }
      }
    }
  }
  return dense;
}

/// The same from the matrix itself.
template <class T>
std::vector<T> dense_of(const CsrView<T>& a, const Segment& segment, std::int64_t n) {
  const std::int64_t width = (a.columns + n - 1) / n * n;
  const std::int64_t height = (segment.rows() + n - 1) / n * n;
  std::vector<T> dense(static_cast<std::size_t>(height * width), T{0});
  for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
    for (auto e = static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(row)]);
         e < static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(row) + 1]); ++e) {
      dense[static_cast<std::size_t>((row - segment.begin_row) * width + a.column_indices[e])] =
          a.values[e];
    }
  }
  return dense;
}

template <class T>
class ThreadedBcsr : public testing::Test {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ThreadedBcsr, ValueTypes);

TYPED_TEST(ThreadedBcsr, HoldsExactlyTheMatrixInEveryLayout) {
  const CsrMatrix<TypeParam> matrix = random_csr<TypeParam>(10007, 83, 5, 3);
  const Segment whole{0, matrix.rows};
  for (const int block_size : block_sizes) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(block_size);
      layout.row_order = order;
      SCOPED_TRACE(to_string(layout));
      const auto blocked = convert_to_bcsr(matrix.view(), whole, layout, 3);
      EXPECT_EQ(blocked.rows, matrix.rows);
      EXPECT_EQ(blocked.columns, matrix.columns);
      EXPECT_TRUE(dense_of(blocked) == dense_of(matrix.view(), whole, block_size));
    }
  }
}

TYPED_TEST(ThreadedBcsr, StoresEachNonEmptyBlockOnceInRisingOrder) {
  const CsrMatrix<TypeParam> matrix = random_csr<TypeParam>(61, 59, 6, 4);
  for (const int block_size : block_sizes) {
    const auto blocked = convert_to_bcsr(matrix.view(), {0, matrix.rows}, block_layout(block_size));
    const auto area = static_cast<std::size_t>(block_size * block_size);
    ASSERT_EQ(blocked.values.size(), area * static_cast<std::size_t>(blocked.blocks()));
    for (std::size_t k = 0; k < static_cast<std::size_t>(blocked.block_rows); ++k) {
      for (std::int64_t b = blocked.block_offsets[k]; b < blocked.block_offsets[k + 1]; ++b) {
        const auto block = static_cast<std::size_t>(b);
        if (b > blocked.block_offsets[k]) {
          EXPECT_LT(blocked.block_columns[block - 1], blocked.block_columns[block]);
        }
        int nonzeros = 0;
        for (std::size_t i = 0; i < area; ++i) nonzeros += blocked.values[block * area + i] != 0;
        EXPECT_GT(nonzeros, 0);
      }
    }
  }
}

TYPED_TEST(ThreadedBcsr, SortsByFallingLengthAndKeepsTheOrderOfEquals) {
  const CsrMatrix<TypeParam> matrix = random_csr<TypeParam>(500, 60, 4, 5);
  for (const int block_size : block_sizes) {
    Layout layout = block_layout(block_size);
    layout.row_order = RowOrder::sorted;
    const auto blocked = convert_to_bcsr(matrix.view(), {0, matrix.rows}, layout);
    ASSERT_EQ(blocked.row_index.size(), static_cast<std::size_t>(blocked.block_rows));
    for (std::size_t k = 1; k < static_cast<std::size_t>(blocked.block_rows); ++k) {
      const auto before = blocked.block_offsets[k] - blocked.block_offsets[k - 1];
      const auto here = blocked.block_offsets[k + 1] - blocked.block_offsets[k];
      EXPECT_GE(before, here);
      if (before == here) {
        EXPECT_LT(blocked.row_index[k - 1], blocked.row_index[k]);
      }
    }
  }
}

TYPED_TEST(ThreadedBcsr, ConvertsEachSegmentAsItsPartOfTheMatrix) {
  const CsrMatrix<TypeParam> matrix = random_csr<TypeParam>(101, 77, 5, 6);
  for (const int block_size : block_sizes) {
    for (const Segment& segment : partition(matrix.view(), block_layout(block_size), 4)) {
      const auto blocked = convert_to_bcsr(matrix.view(), segment, block_layout(block_size));
      EXPECT_EQ(blocked.rows, segment.rows());
      EXPECT_TRUE(dense_of(blocked) == dense_of(matrix.view(), segment, block_size));
    }
  }
}

TEST(Bcsr, KeepsExplicitZerosAsStoredEntries) {
  const CsrMatrix<double> matrix{2, 2, {0, 1, 2}, {0, 1}, {0.0, 1.0}};
  EXPECT_EQ(convert_to_bcsr(matrix.view(), {0, 2}, block_layout(1)).blocks(), 2);
}

TEST(Bcsr, ConvertsMatricesWithoutRowsOrEntries) {
  const CsrMatrix<double> nothing{0, 0, {0}, {}, {}};
  EXPECT_EQ(convert_to_bcsr(nothing.view(), {0, 0}, block_layout(3)).block_rows, 0);
  const CsrMatrix<double> empty_rows{5, 5, {0, 0, 0, 0, 0, 0}, {}, {}};
  const auto blocked = convert_to_bcsr(empty_rows.view(), {0, 5}, parse_layout("bcsr2-sorted"));
  EXPECT_EQ(blocked.block_rows, 3);
  EXPECT_EQ(blocked.blocks(), 0);
}

TEST(Bcsr, CountsItsBytes) {
  const CsrMatrix<float> matrix{2, 2, {0, 1, 2}, {0, 1}, {1.0f, 2.0f}};
  EXPECT_EQ(convert_to_bcsr(matrix.view(), {0, 2}, block_layout(1)).bytes(), 3 * 8 + 2 * 4 + 2 * 4);
  EXPECT_EQ(convert_to_bcsr(matrix.view(), {0, 2}, parse_layout("bcsr2-sorted")).bytes(),
            2 * 8 + 4 + 4 * 4 + 4);
}

TEST(Bcsr, RefusesSegmentsThatCutBlocks) {
  const CsrMatrix<double> matrix = random_csr<double>(10, 10, 3, 8);
  EXPECT_THROW(convert_to_bcsr(matrix.view(), {1, 10}, block_layout(2)), Error);
  EXPECT_THROW(convert_to_bcsr(matrix.view(), {0, 3}, block_layout(2)), Error);
  EXPECT_THROW(convert_to_bcsr(matrix.view(), {0, 12}, block_layout(2)), Error);
  EXPECT_THROW(convert_to_bcsr(matrix.view(), {0, 10}, Layout{"bcsr", 5}), Error);
}

}  // namespace
}  // namespace sparsecast
