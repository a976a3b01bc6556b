#include "core/analysis/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/analysis/features_json.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/narrow_offsets.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

/// The lengths of block rows, counted block by block.
std::vector<std::int64_t> block_row_lengths(const CsrView<double>& matrix, std::int64_t n) {
  std::vector<std::set<std::int64_t>> blocks((matrix.rows + n - 1) / n);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      blocks[row / n].insert(matrix.column_indices[k] / n);
    }
  }
  std::vector<std::int64_t> lengths;
  for (const auto& row : blocks) lengths.push_back(static_cast<std::int64_t>(row.size()));
  return lengths;
}

std::int64_t padded_elements(const std::vector<std::int64_t>& lengths, std::int64_t n) {
  const std::int64_t together = std::max<std::int64_t>(1, 256 / (n * n));
  const auto block_rows = static_cast<std::int64_t>(lengths.size());
  std::int64_t blocks = 0;
  for (std::int64_t first = 0; first < block_rows; first += together) {
    const std::int64_t last = std::min(first + together, block_rows);
    blocks += (last - first) * *std::max_element(lengths.begin() + first, lengths.begin() + last);
  }
  return blocks * n * n;
}

void expect_blocks_as_counted_one_by_one(const CsrView<double>& matrix) {
  const MatrixFeatures features = compute_features(matrix);
  for (const int n : block_sizes) {
    const BlockFeatures& found = features.block(n);
    std::vector<std::int64_t> lengths = block_row_lengths(matrix, n);
    std::int64_t blocks = 0;
    for (const std::int64_t length : lengths) blocks += length;

    SCOPED_TRACE(testing::Message() << matrix.rows << " x " << matrix.columns << ", N = " << n);
    EXPECT_EQ(found.block_size, n);
    EXPECT_EQ(found.block_rows, static_cast<std::int64_t>(lengths.size()));
    EXPECT_EQ(found.blocks, blocks);
    EXPECT_EQ(found.block_elements, blocks * n * n);
    EXPECT_DOUBLE_EQ(found.block_density,
                     static_cast<double>(matrix.nonzeros()) / static_cast<double>(blocks * n * n));
    EXPECT_EQ(found.max_blocks_per_row, *std::max_element(lengths.begin(), lengths.end()));
    EXPECT_EQ(found.padded_elements_natural, padded_elements(lengths, n));
    std::sort(lengths.rbegin(), lengths.rend());
    EXPECT_EQ(found.padded_elements_sorted, padded_elements(lengths, n));
  }
}

TEST(Features, CountBlocksAsOneByOne) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const std::int64_t rows : {1, 7, 24, 25, 95, 700}) {
      for (const std::int64_t columns : {9, 24, 131, 700}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        CsrMatrix<double> matrix = random_csr<double>(rows, columns, 4, seed);
        if (matrix.nonzeros() > 0) expect_blocks_as_counted_one_by_one(matrix);
      }
    }
  }
}

TEST(Features, CountBlocksOfClusteredRowsAsOneByOne) {
  expect_blocks_as_counted_one_by_one(fem_elasticity(1, 5, 2));
  expect_blocks_as_counted_one_by_one(laplacian(27, 9, 7, 5));
  expect_blocks_as_counted_one_by_one(power_law(1000, 9, 2.1, 3));
  expect_blocks_as_counted_one_by_one(dense(50, 3));
}

/// Rows whose entries are mostly far from all others are counted in a way of their own, chosen anew
/// every now and then.
TEST(Features, CountBlocksOfScatteredAndCrowdedRowsAsOneByOne) {
  const std::int64_t columns = 50000;
  CsrMatrix<double> matrix;
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (const std::int64_t width : {columns, std::int64_t{40}, columns, columns / 40}) {
    const CsrMatrix<double> part = random_csr<double>(2000, width, 8, 5);
    for (std::int64_t row = 0; row < part.rows; ++row) {
      matrix.row_offsets.push_back(part.row_offsets[row + 1] + matrix.nonzeros());
    }
    matrix.rows += part.rows;
    matrix.column_indices.insert(matrix.column_indices.end(), part.column_indices.begin(),
                                 part.column_indices.end());
    matrix.values.insert(matrix.values.end(), part.values.begin(), part.values.end());
  }
  expect_blocks_as_counted_one_by_one(matrix);
}

/// The counter tells block rows apart by 16-bit numbers that begin again after 65535 block rows: an
/// entry must not be taken for one of the block row that had its number before.
TEST(Features, CountBlocksOfMoreBlockRowsThanSixteenBitsCount) {
  std::set<std::int64_t> rows_with_entry;
  for (const std::int64_t n : block_sizes) {
    for (std::int64_t times = 0; times < 3; ++times) rows_with_entry.insert(65535 * n * times);
  }
  CsrMatrix<double> matrix;
  matrix.rows = *rows_with_entry.rbegin() + 1;
  matrix.columns = 1;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    if (rows_with_entry.contains(row)) {
      matrix.column_indices.push_back(0);
      matrix.values.push_back(1.5);
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.column_indices.size()));
  }

  const MatrixFeatures features = compute_features<double>(matrix, 1);

  for (const int n : block_sizes) {
    std::set<std::int64_t> blocks;
    for (const std::int64_t row : rows_with_entry) blocks.insert(row / n);
    EXPECT_EQ(features.block(n).blocks, static_cast<std::int64_t>(blocks.size())) << "N = " << n;
  }
}

TEST(Features, AreThoseOfTheSameMatrixInSinglePrecision) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 4, 9);
  const CsrMatrix<float> single = convert_values<float>(matrix.view());

  const MatrixFeatures features = compute_features<float>(single);

  EXPECT_TRUE(features.symmetric);
  EXPECT_EQ(features.block(4).blocks, compute_features<double>(matrix).block(4).blocks);
  EXPECT_EQ(features.negative_diagonal, 0);
}

TEST(Features, AreThoseOfTheSameMatrixWithOffsetsOf32Bits) {
  for (const std::int64_t columns : {400, 90}) {
    const CsrMatrix<double> matrix = random_csr<double>(400, columns, 7, 6);
    const NarrowOffsets<double> narrow(matrix);
    EXPECT_EQ(to_json(compute_features<double>(narrow.view())).text(),
              to_json(compute_features<double>(matrix)).text());
  }
}

TEST(Features, DescribeRowLengths) {
  CsrMatrix<double> matrix;
  matrix.rows = 4;
  matrix.columns = 9;
  matrix.row_offsets = {0, 0, 1, 4, 12};
  matrix.column_indices = {8, 0, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7};
  matrix.values.assign(12, 1.5);

  const MatrixFeatures features = compute_features<double>(matrix);

  EXPECT_EQ(features.rows, 4);
  EXPECT_EQ(features.columns, 9);
  EXPECT_EQ(features.nonzeros, 12);
  EXPECT_EQ(features.row_length.min, 0);
  EXPECT_EQ(features.row_length.max, 8);
  EXPECT_DOUBLE_EQ(features.row_length.mean, 3);
  EXPECT_DOUBLE_EQ(features.row_length.stddev, std::sqrt((9 + 4 + 0 + 25) / 4.0));
  EXPECT_EQ(features.row_length.histogram, (std::vector<std::int64_t>{1, 1, 1, 0, 1}));
  EXPECT_EQ(features.bandwidth, 7);
}

TEST(Features, CountExplicitZerosAndNumbersThatAreNotFinite) {
  CsrMatrix<double> matrix = random_csr<double>(50, 50, 6, 11);
  matrix.values[3] = 0;
  matrix.values[9] = -0.0;
  matrix.values[17] = std::numeric_limits<double>::infinity();
  matrix.values[40] = std::nan("");

  const MatrixFeatures features = compute_features<double>(matrix);

  EXPECT_EQ(features.explicit_zeros, 2);
  EXPECT_EQ(features.not_finite, 2);
  EXPECT_EQ(features.nonzeros, matrix.nonzeros());
}

TEST(Features, CountMissingZeroAndNegativeDiagonals) {
  CsrMatrix<double> matrix;
  matrix.rows = 6;
  matrix.columns = 5;
  matrix.row_offsets = {0, 1, 3, 4, 5, 6, 7};
  matrix.column_indices = {0, 1, 3, 2, 0, 4, 2};
  matrix.values = {0, -2, 1, 3, 1, -1, 5};

  const MatrixFeatures features = compute_features<double>(matrix);

  EXPECT_EQ(features.missing_diagonal, 1);  // row 3; row 5 has no place for one
  EXPECT_EQ(features.zero_diagonal, 1);
  EXPECT_EQ(features.negative_diagonal, 2);
}

TEST(Features, FindSymmetryOfPatternAndValues) {
  CsrMatrix<double> matrix = fem_elasticity(1, 3, 4);
  EXPECT_TRUE(compute_features<double>(matrix).symmetric);
  EXPECT_TRUE(compute_features<double>(matrix).pattern_symmetric);

  matrix.values[matrix.row_offsets[40]] *= 1.0000001;
  EXPECT_FALSE(compute_features<double>(matrix).symmetric);
  EXPECT_TRUE(compute_features<double>(matrix).pattern_symmetric);
}

TEST(Features, FindOneMissingMirrorEntry) {
  CsrMatrix<double> matrix = laplacian(5, 20, 20);
  // The last entry of the first row moves one column to the right.
  ASSERT_EQ(matrix.column_indices[2], 20);
  matrix.column_indices[2] = 21;

  EXPECT_FALSE(compute_features<double>(matrix).pattern_symmetric);
  EXPECT_FALSE(compute_features<double>(matrix).symmetric);
}

TEST(Features, TellASkewSymmetricMatrixFromASymmetricOne) {
  CsrMatrix<double> matrix = laplacian(7, 6, 6, 6);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      if (matrix.column_indices[k] < row) matrix.values[k] = -matrix.values[k];
    }
  }

  EXPECT_TRUE(compute_features<double>(matrix).pattern_symmetric);
  EXPECT_FALSE(compute_features<double>(matrix).symmetric);
}

TEST(Features, TakeZerosOfBothSignsAsTheSame) {
  CsrMatrix<double> matrix = laplacian(3, 30);
  matrix.values[1] = 0.0;   // (0, 1)
  matrix.values[2] = -0.0;  // (1, 0)

  EXPECT_TRUE(compute_features<double>(matrix).symmetric);
}

TEST(Features, NeverCallARectangularMatrixSymmetric) {
  CsrMatrix<double> matrix = laplacian(3, 30);
  matrix.columns = 31;

  EXPECT_FALSE(compute_features<double>(matrix).pattern_symmetric);
  EXPECT_FALSE(compute_features<double>(matrix).symmetric);
}

TEST(Features, OfAMatrixWithoutEntries) {
  CsrMatrix<double> matrix;
  matrix.rows = 5;
  matrix.columns = 5;
  matrix.row_offsets.assign(6, 0);

  const MatrixFeatures features = compute_features<double>(matrix);

  EXPECT_EQ(features.nonzeros, 0);
  EXPECT_EQ(features.row_length.max, 0);
  EXPECT_EQ(features.missing_diagonal, 5);
  EXPECT_EQ(features.block(4).blocks, 0);
  EXPECT_EQ(features.block(4).block_density, 1);
  EXPECT_EQ(features.block(4).padded_elements_natural, 0);
}

TEST(Features, OfAMatrixWithoutRows) {
  CsrMatrix<double> matrix;
  matrix.row_offsets.assign(1, 0);

  const MatrixFeatures features = compute_features<double>(matrix);

  EXPECT_EQ(features.rows, 0);
  EXPECT_EQ(features.row_length.min, 0);
  EXPECT_EQ(features.block(8).block_rows, 0);
}

TEST(Features, GiveTheShapeOfALayout) {
  const CsrMatrix<double> matrix = random_csr<double>(101, 101, 5, 4);
  const MatrixFeatures features = compute_features<double>(matrix);

  const SegmentShape shape = features.shape(block_layout(3));

  EXPECT_EQ(shape.unknowns, 101);
  EXPECT_EQ(shape.total_unknowns, 101);
  EXPECT_EQ(shape.block_rows, 34);
  EXPECT_EQ(shape.blocks, static_cast<double>(features.block(3).blocks));
  EXPECT_EQ(shape.elements, static_cast<double>(features.block(3).blocks) * 9);
}

TEST(Features, RefuseABlockSizeWithoutKernels) {
  EXPECT_THROW(MatrixFeatures{}.block(5), Error);
}

TEST(ThreadedFeatures, AreTheSameOnAnyNumberOfThreads) {
  const CsrMatrix<double> matrix = power_law(5000, 12, 2.1, 5);

  const MatrixFeatures one = compute_features<double>(matrix, 1);
  for (const int threads : {2, 3, 5}) {
    const MatrixFeatures several = compute_features<double>(matrix, threads);

    EXPECT_EQ(several.row_length.stddev, one.row_length.stddev);
    EXPECT_EQ(several.row_length.histogram, one.row_length.histogram);
    EXPECT_EQ(several.bandwidth, one.bandwidth);
    EXPECT_TRUE(several.symmetric);
    for (const int n : block_sizes) {
      EXPECT_EQ(several.block(n).blocks, one.block(n).blocks);
      EXPECT_EQ(several.block(n).padded_elements_natural, one.block(n).padded_elements_natural);
      EXPECT_EQ(several.block(n).padded_elements_sorted, one.block(n).padded_elements_sorted);
    }
  }
}

}  // namespace
}  // namespace sparsecast
