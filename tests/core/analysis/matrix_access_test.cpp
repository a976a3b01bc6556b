#include "core/analysis/matrix_access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/narrow_offsets.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

CsrMatrix<double> with_one_dense_row(std::int64_t rows) {
  CsrMatrix<double> matrix;
  matrix.rows = rows;
  matrix.columns = rows;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool dense = row == rows / 3;
    for (std::int64_t column = dense ? 0 : row; column < (dense ? rows : row + 1); ++column) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(column));
      matrix.values.push_back(1.5);
    }
    matrix.row_offsets.push_back(matrix.nonzeros());
  }
  return matrix;
}

CsrMatrix<double> banded(std::int64_t rows) {
  RandomMatrixSpec spec;
  spec.rows = rows;
  spec.mean_row_length = 9;
  spec.stddev_row_length = 3;
  spec.bandwidth_fraction = 0.05;
  spec.symmetric = false;
  return random_matrix(spec);
}

/// Matrices of every kind; those of more than some thousands of entries are cut for threads.
std::vector<std::pair<std::string, CsrMatrix<double>>> matrices() {
  std::vector<std::pair<std::string, CsrMatrix<double>>> all;
  all.emplace_back("random with empty rows", random_csr<double>(3001, 2003, 4, 1));
  all.emplace_back("wide", random_csr<double>(97, 5000, 20, 2));
  all.emplace_back("tall", random_csr<double>(5000, 13, 3, 3));
  all.emplace_back("banded", banded(2500));
  all.emplace_back("dense", dense(131, 1));
  all.emplace_back("one dense row", with_one_dense_row(9001));
  all.emplace_back("blocks", fem_elasticity(1, 7, 1));
  all.emplace_back("power law", power_law(3000, 8, 2.1, 4));
  all.emplace_back("grid", laplacian(5, 70, 50));
  all.emplace_back("one entry", dense(1, 1));
  all.emplace_back("empty", CsrMatrix<double>{5, 7, {0, 0, 0, 0, 0, 0}, {}, {}});
  return all;
}

/// The pattern, counted without any thought for time.
AccessPattern reference(const CsrView<double>& matrix, const Layout& layout, Precision precision) {
  AccessPattern pattern;
  const std::int64_t values = precision == Precision::f32 ? 8 : 4;
  std::map<std::int64_t, std::int64_t> last;
  std::vector<std::set<std::int64_t>> blocks((matrix.rows + layout.block_size - 1) /
                                             layout.block_size);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int64_t column = matrix.column_indices[k];
      const auto found = last.find(column / values);
      ++pattern.sector_lookups[found == last.end() ? 33
                                                   : std::bit_width(static_cast<std::uint64_t>(
                                                         row ^ found->second))];
      last[column / values] = row;
      blocks[row / layout.block_size].insert(column / layout.block_size);
      pattern.bandwidth = std::max(pattern.bandwidth, static_cast<double>(std::abs(column - row)));
    }
  }
  std::vector<double> lengths;
  for (const auto& row : blocks) lengths.push_back(static_cast<double>(row.size()));
  if (layout.row_order == RowOrder::sorted) std::ranges::sort(lengths, std::ranges::greater{});
  double sum = 0;
  double squares = 0;
  for (const double length : lengths) {
    pattern.longest_row = std::max(pattern.longest_row, length);
    sum += length;
    squares += length * length;
  }
  const auto rows = static_cast<double>(lengths.size());
  pattern.row_deviation = std::sqrt(squares * rows - sum * sum) / rows;
  for (int k = 0; k < 6; ++k) {
    const std::size_t group = 32 >> k;
    for (std::size_t first = 0; first < lengths.size(); first += group) {
      double most = 0;
      for (std::size_t row = first; row < std::min(first + group, lengths.size()); ++row) {
        most = std::max(most, std::ceil(lengths[row] / (1 << k)));
      }
      pattern.warp_steps[k] += most;
    }
  }
  return pattern;
}

void expect_same(const AccessPattern& found, const AccessPattern& expected) {
  EXPECT_EQ(found.sector_lookups, expected.sector_lookups);
  EXPECT_EQ(found.warp_steps, expected.warp_steps);
  EXPECT_EQ(found.longest_row, expected.longest_row);
  EXPECT_DOUBLE_EQ(found.row_deviation, expected.row_deviation);
  EXPECT_EQ(found.bandwidth, expected.bandwidth);
}

TEST(MatrixAccess, CountsAsOneByOne) {
  for (const auto& [name, matrix] : matrices()) {
    const MatrixAccess access = compute_access<double>(matrix);
    for (const int n : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        for (const Precision precision : {Precision::f32, Precision::f64}) {
          Layout layout = block_layout(n);
          layout.row_order = order;
          SCOPED_TRACE(testing::Message()
                       << name << ", " << to_string(layout) << ", " << to_string(precision));
          expect_same(access.pattern(layout, precision), reference(matrix, layout, precision));
        }
      }
    }
  }
}

TEST(ThreadedMatrixAccess, IsTheSameForAnyNumberOfThreads) {
  for (const auto& [name, matrix] : matrices()) {
    const MatrixAccess one = compute_access<double>(matrix, 1);
    for (const int threads : {2, 4, 7}) {
      const MatrixAccess several = compute_access<double>(matrix, threads);
      for (const int n : block_sizes) {
        for (const Precision precision : {Precision::f32, Precision::f64}) {
          EXPECT_EQ(several.pattern(block_layout(n), precision),
                    one.pattern(block_layout(n), precision))
              << name << ", N = " << n << ", " << to_string(precision) << ", " << threads;
        }
      }
    }
  }
}

TEST(MatrixAccess, DoesNotDependOnThePrecisionOfTheMatrix) {
  const CsrMatrix<double> matrix = banded(500);
  const CsrMatrix<float> rounded = convert_values<float, double>(matrix);
  EXPECT_EQ(compute_access<float>(rounded).pattern(Layout{}, Precision::f64),
            compute_access<double>(matrix).pattern(Layout{}, Precision::f64));
}

TEST(MatrixAccess, IsTheSameForOffsetsOf32Bits) {
  const CsrMatrix<double> matrix = banded(500);
  const NarrowOffsets<double> narrow(matrix);
  for (const Segment& segment : {Segment{0, 500}, Segment{240, 500}}) {
    EXPECT_EQ(compute_access<double>(narrow.view(), segment, 2).pattern(Layout{}, Precision::f64),
              compute_access<double>(matrix, segment, 2).pattern(Layout{}, Precision::f64));
  }
}

/// The rows of a segment, those above it empty and none below it.
CsrMatrix<double> without_other_rows(const CsrMatrix<double>& matrix, const Segment& segment) {
  CsrMatrix<double> left;
  left.rows = segment.end_row;
  left.columns = matrix.columns;
  const std::int64_t first = matrix.row_offsets[segment.begin_row];
  for (std::int64_t row = 0; row <= segment.end_row; ++row) {
    left.row_offsets.push_back(std::max<std::int64_t>(0, matrix.row_offsets[row] - first));
  }
  for (std::int64_t k = first; k < matrix.row_offsets[segment.end_row]; ++k) {
    left.column_indices.push_back(matrix.column_indices[k]);
    left.values.push_back(matrix.values[k]);
  }
  return left;
}

/// Standard deviation of the blocks in the block rows that a segment touches.
double deviation(std::span<const RowLengthCount> lengths) {
  double rows = 0;
  double sum = 0;
  double squares = 0;
  for (const auto& [blocks, count] : lengths) {
    rows += static_cast<double>(count);
    sum += static_cast<double>(blocks * count);
    squares += static_cast<double>(blocks * blocks * count);
  }
  return std::sqrt(squares * rows - sum * sum) / rows;
}

/// Row lengths without those of empty block rows.
std::vector<std::pair<std::int64_t, std::int64_t>> filled(std::span<const RowLengthCount> lengths) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const auto& [blocks, rows] : lengths) {
    if (blocks > 0) all.emplace_back(blocks, rows);
  }
  return all;
}

TEST(ThreadedMatrixAccess, OfASegmentIsThatOfTheMatrixWithNothingElse) {
  for (const auto& [name, matrix] : matrices()) {
    const std::int64_t rows = matrix.rows;
    for (const Segment& segment :
         {Segment{0, rows}, Segment{0, rows / 2}, Segment{rows / 3, rows},
          Segment{rows / 96 * 32, rows / 96 * 64}, Segment{rows / 2 + 1, rows / 2 + 1}}) {
      const MatrixAccess expected = compute_access<double>(without_other_rows(matrix, segment), 1);
      for (const int threads : {1, 3}) {
        const MatrixAccess found = compute_access<double>(matrix, segment, threads);
        for (const int n : block_sizes) {
          SCOPED_TRACE(testing::Message() << name << ", rows " << segment.begin_row << " to "
                                          << segment.end_row << ", N = " << n);
          EXPECT_EQ(filled(found.row_lengths(n)), filled(expected.row_lengths(n)));
          EXPECT_EQ(found.column_reach(n).below, expected.column_reach(n).below);
          EXPECT_EQ(found.column_reach(n).above, expected.column_reach(n).above);
          for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
            Layout layout = block_layout(n);
            layout.row_order = order;
            AccessPattern pattern = expected.pattern(layout, Precision::f64);
            // Empty block rows above do not count.
            pattern.row_deviation = segment.rows() > 0 ? deviation(found.row_lengths(n)) : 0;
            expect_same(found.pattern(layout, Precision::f64), pattern);
          }
        }
      }
    }
  }
}

TEST(ThreadedMatrixAccess, OfManySegmentsIsThatOfEach) {
  for (const auto& [name, matrix] : matrices()) {
    if (matrix.rows != matrix.columns) continue;
    for (const int devices : {3, 90}) {
      // Also cut within block rows.
      const auto segments = partition(matrix.view(), Layout{}, devices, 1);
      for (const int threads : {1, 3}) {
        const auto all = compute_access<double>(matrix, segments, threads);
        ASSERT_EQ(all.size(), segments.size());
        for (std::size_t k = 0; k < segments.size(); ++k) {
          const MatrixAccess one = compute_access<double>(matrix, segments[k], 1);
          for (const int n : block_sizes) {
            SCOPED_TRACE(testing::Message()
                         << name << ", segment " << k << " of " << devices << ", N = " << n);
            EXPECT_EQ(filled(all[k].row_lengths(n)), filled(one.row_lengths(n)));
            EXPECT_EQ(all[k].column_reach(n).below, one.column_reach(n).below);
            EXPECT_EQ(all[k].column_reach(n).above, one.column_reach(n).above);
            for (const Precision precision : {Precision::f32, Precision::f64}) {
              EXPECT_EQ(all[k].pattern(block_layout(n), precision),
                        one.pattern(block_layout(n), precision));
            }
          }
        }
      }
    }
  }
}

TEST(MatrixAccess, CountsEveryEntryOnce) {
  const CsrMatrix<double> matrix = power_law(2000, 8, 2.1, 4);
  const AccessPattern pattern = compute_access<double>(matrix).pattern(Layout{}, Precision::f32);
  double lookups = 0;
  for (const double count : pattern.sector_lookups) lookups += count;
  EXPECT_EQ(lookups, static_cast<double>(matrix.nonzeros()));
}

TEST(MatrixAccess, CountsTheDistinctSectorsOfWindows) {
  const CsrMatrix<double> matrix = banded(1100);
  const MatrixAccess access = compute_access<double>(matrix);
  for (const std::int64_t window : {1, 4, 64, 2048}) {
    double expected = 0;
    for (std::int64_t first = 0; first < matrix.rows; first += window) {
      std::set<std::int64_t> sectors;
      const std::int64_t end = std::min(first + window, matrix.rows);
      for (std::int64_t k = matrix.row_offsets[first]; k < matrix.row_offsets[end]; ++k) {
        sectors.insert(matrix.column_indices[k] / 8);
      }
      expected += static_cast<double>(sectors.size());
    }
    EXPECT_EQ(
        distinct_sectors(access.pattern(Layout{}, Precision::f32), static_cast<double>(window)),
        expected);
  }
}

TEST(MatrixAccess, ListsRowLengths) {
  const MatrixAccess access = compute_access<double>(laplacian(5, 10, 10));
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const auto& [blocks, rows] : access.row_lengths(1)) found.emplace_back(blocks, rows);
  EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 4}, {4, 32}, {5, 64}}));
}

TEST(ThreadedMatrixAccess, FindsHowFarColumnsReach) {
  for (const auto& [name, matrix] : matrices()) {
    for (const std::int64_t n : block_sizes) {
      std::int64_t below = 0;
      std::int64_t above = 0;
      for (std::int64_t row = 0; row < matrix.rows; ++row) {
        for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
          const std::int64_t distance = matrix.column_indices[k] / n - row / n / 32 * 32;
          below = std::min(below, distance);
          above = std::max(above, distance);
        }
      }
      const ColumnReach reach = compute_access<double>(matrix, 4).column_reach(static_cast<int>(n));
      EXPECT_EQ(reach.below, below) << name << ", N = " << n;
      EXPECT_EQ(reach.above, above) << name << ", N = " << n;
    }
  }
}

TEST(MatrixAccess, RefusesAnUnknownBlockSize) {
  const MatrixAccess access = compute_access<double>(dense(3, 1));
  EXPECT_THROW(access.row_lengths(5), Error);
  EXPECT_THROW(access.pattern({"bcsr", 5, RowOrder::natural}, Precision::f32), Error);
}

}  // namespace
}  // namespace sparsecast
