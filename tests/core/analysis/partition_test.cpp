#include "core/analysis/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"
#include "core/narrow_offsets.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

TEST(Partition, CoversAllRowsInAlignedSegmentsBalancedWithinTheLargestBlockRow) {
  const CsrMatrix<double> matrix = random_csr<double>(203, 190, 9, 11);
  for (const int block_size : block_sizes) {
    const Segment whole{0, matrix.rows};
    const auto counts = count_blocks(matrix.view().pattern(), whole, block_size);
    std::int64_t largest = 0;
    for (std::size_t k = 0; k + 1 < counts.size(); ++k) {
      largest = std::max(largest, counts[k + 1] - counts[k]);
    }
    for (const int devices : {1, 2, 3, 8, 300}) {
      const auto segments = partition(matrix.view(), block_layout(block_size), devices);
      ASSERT_EQ(segments.size(), static_cast<std::size_t>(devices));
      std::int64_t next = 0;
      for (const Segment& segment : segments) {
        EXPECT_EQ(segment.begin_row, next);
        EXPECT_GE(segment.rows(), 0);
        EXPECT_TRUE(segment.begin_row % block_size == 0 || segment.begin_row == matrix.rows);
        next = segment.end_row;
        const auto first =
            static_cast<std::size_t>((segment.begin_row + block_size - 1) / block_size);
        const auto last = static_cast<std::size_t>((segment.end_row + block_size - 1) / block_size);
        EXPECT_LE(counts[last] - counts[first], counts.back() / devices + 1 + largest);
      }
      EXPECT_EQ(next, matrix.rows);
    }
  }
}

TEST(Partition, AlignsSegmentsToRowsAsked) {
  const CsrMatrix<double> matrix = random_csr<double>(1003, 1003, 9, 12);
  for (const int block_size : block_sizes) {
    const std::int64_t unit = std::lcm(block_size, 32);
    const auto counts = count_blocks(matrix.view().pattern(), Segment{0, matrix.rows}, block_size);
    const auto blocks_before = [&](std::int64_t row) {
      return counts[static_cast<std::size_t>((row + block_size - 1) / block_size)];
    };
    std::int64_t largest = 0;
    for (std::int64_t row = 0; row < matrix.rows; row += unit) {
      largest =
          std::max(largest, blocks_before(std::min(row + unit, matrix.rows)) - blocks_before(row));
    }
    for (const int devices : {1, 2, 3, 8, 300}) {
      const auto segments = partition(matrix.view(), block_layout(block_size), devices, 32);
      ASSERT_EQ(segments.size(), static_cast<std::size_t>(devices));
      std::int64_t next = 0;
      for (const Segment& segment : segments) {
        EXPECT_EQ(segment.begin_row, next);
        EXPECT_GE(segment.rows(), 0);
        EXPECT_TRUE(segment.begin_row % unit == 0 || segment.begin_row == matrix.rows);
        next = segment.end_row;
        EXPECT_LE(blocks_before(segment.end_row) - blocks_before(segment.begin_row),
                  counts.back() / devices + 1 + largest);
      }
      EXPECT_EQ(next, matrix.rows);
    }
  }
}

TEST(Partition, IsTheSameForOffsetsOf32Bits) {
  const CsrMatrix<double> matrix = random_csr<double>(1003, 1003, 9, 13);
  const NarrowOffsets<double> narrow(matrix);
  for (const Layout& layout : all_layouts()) {
    const auto segments = partition(matrix.view(), layout, 5, 32);
    const auto found = partition(narrow.view(), layout, 5, 32);
    ASSERT_EQ(found.size(), segments.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].begin_row, segments[k].begin_row) << to_string(layout);
      EXPECT_EQ(found[k].end_row, segments[k].end_row) << to_string(layout);
    }
  }
}

TEST(Partition, RefusesAnAlignmentToNoRows) {
  const CsrMatrix<double> matrix = random_csr<double>(20, 20, 3, 13);
  EXPECT_THROW(partition(matrix.view(), Layout{}, 2, 0), Error);
}

TEST(Partition, GivesAnEmptyMatrixEmptySegments) {
  const CsrMatrix<float> matrix{0, 0, {0}, {}, {}};
  const auto segments = partition(matrix.view(), block_layout(4), 3);
  ASSERT_EQ(segments.size(), 3u);
  for (const Segment& segment : segments) EXPECT_EQ(segment.rows(), 0);
}

}  // namespace
}  // namespace sparsecast
