#include "core/analysis/cuda_execution.hpp"

#include <gtest/gtest.h>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/paper/paper_layout.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

constexpr GpuShape gpu{132, 60 << 20, 227 << 10};

Layout sorted(int block_size) {
  Layout layout = block_layout(block_size);
  layout.row_order = RowOrder::sorted;
  return layout;
}

SegmentShape shape_on_gpu(const CsrMatrix<double>& matrix, const Layout& layout,
                          const CudaPolicy& policy = {}) {
  return cuda_shape(matrix.view(), compute_features<double>(matrix), compute_access<double>(matrix),
                    layout, policy);
}

/// A matrix of one entry a row, all on one side of the diagonal at this distance.
CsrMatrix<double> with_offset(std::int64_t rows, std::int64_t distance) {
  CsrMatrix<double> matrix;
  matrix.rows = rows;
  matrix.columns = rows + distance;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    matrix.column_indices.push_back(static_cast<std::int32_t>(row + distance));
    matrix.values.push_back(2);
    matrix.row_offsets.push_back(row + 1);
  }
  return matrix;
}

TEST(CudaShape, KeepsColumnsNearTheDiagonalInTwoBytes) {
  const CsrMatrix<double> matrix = laplacian(5, 40, 50);
  for (const int n : block_sizes) {
    EXPECT_EQ(shape_on_gpu(matrix, block_layout(n)).index_bytes, n <= 3 ? 2 : 4) << n;
    EXPECT_EQ(shape_on_gpu(matrix, sorted(n)).index_bytes, 4) << n;
  }
  CudaPolicy policy;
  policy.narrow_columns = false;
  EXPECT_EQ(shape_on_gpu(matrix, Layout{}, policy).index_bytes, 4);
  policy = {};
  policy.most_values_with_32_bit_offsets = 100;
  EXPECT_EQ(shape_on_gpu(matrix, Layout{}, policy).index_bytes, 2);
}

TEST(CudaShape, CountsColumnsFromTheFirstOfThirtyTwoRows) {
  // Row 31 counts from row 0.
  EXPECT_EQ(shape_on_gpu(with_offset(100, 32767 - 31), Layout{}).index_bytes, 2);
  EXPECT_EQ(shape_on_gpu(with_offset(100, 32767 - 30), Layout{}).index_bytes, 4);
  EXPECT_EQ(shape_on_gpu(with_offset(31, 32767 - 30), Layout{}).index_bytes, 2);
  // Block columns are fewer.
  EXPECT_EQ(shape_on_gpu(with_offset(100, 60000), block_layout(2)).index_bytes, 2);
}

TEST(CudaShape, IsTheLayoutsWithoutPadding) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 5, 1);
  const MatrixFeatures features = compute_features<double>(matrix);
  for (const int n : block_sizes) {
    const SegmentShape shape = shape_on_gpu(matrix, block_layout(n));
    EXPECT_EQ(shape.unknowns, static_cast<double>(matrix.rows));
    EXPECT_EQ(shape.blocks, static_cast<double>(features.block(n).blocks));
    EXPECT_EQ(shape.elements, shape.blocks * n * n);
    EXPECT_EQ(shape.block_rows, static_cast<double>(features.block(n).block_rows));
  }
}

TEST(CudaShape, OfThePapersStorageIsPadded) {
  const CsrMatrix<double> matrix = power_law(900, 9, 2.1, 3);
  const MatrixFeatures features = compute_features<double>(matrix);
  const auto shape = [&](RowOrder order, PaperStorage storage, const CudaPolicy& policy = {}) {
    const Layout layout = paper_layout(8, order, PaperMapping::multiple_block_rows, storage);
    return shape_on_gpu(matrix, layout, policy);
  };
  EXPECT_EQ(shape(RowOrder::natural, PaperStorage::plain).elements,
            static_cast<double>(features.block(8).block_elements));
  for (const PaperStorage storage : {PaperStorage::padded, PaperStorage::reordered}) {
    const SegmentShape natural = shape(RowOrder::natural, storage);
    EXPECT_GE(natural.elements, static_cast<double>(features.block(8).padded_elements_natural));
    EXPECT_LT(shape(RowOrder::sorted, storage).elements, natural.elements);
    EXPECT_EQ(natural.index_bytes, 4);
    // More block rows share a length.
    CudaPolicy policy;
    policy.paper.threads_per_block = 1024;
    EXPECT_GT(shape(RowOrder::natural, storage, policy).elements, natural.elements);
  }
  const Layout small =
      paper_layout(1, RowOrder::natural, PaperMapping::multiple_block_rows, PaperStorage::plain);
  EXPECT_EQ(shape_on_gpu(laplacian(5, 40, 50), small).index_bytes, 4);
  EXPECT_THROW(paper_layout(3, RowOrder::natural, PaperMapping::warp, PaperStorage::plain), Error);
}

TEST(SpmvExecution, OfAFormatForComparisonsIsRefusedInOneLine) {
  const Layout layout = parse_layout("paper4");
  const SegmentShape shape = shape_on_gpu(laplacian(5, 8, 8), layout);
  try {
    spmv_execution(shape, layout, Precision::f64, gpu, CudaPolicy{});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "layout paper4 is for comparisons: its products are measured, not forecast");
  }
}

TEST(SpmvExecution, GivesEveryBlockRowItsLanes) {
  const CudaPolicy policy;
  for (const int n : block_sizes) {
    const CsrMatrix<double> matrix = random_csr<double>(1000, 1000, 20, 1);
    const SegmentShape shape = shape_on_gpu(matrix, block_layout(n));
    const SpmvExecution execution =
        spmv_execution(shape, block_layout(n), Precision::f64, gpu, policy);
    EXPECT_FALSE(execution.streams);
    EXPECT_EQ(execution.rows_per_block * execution.lanes, execution.threads);
    EXPECT_GE(execution.blocks * execution.rows_per_block, shape.block_rows);
    EXPECT_LT((execution.blocks - 1) * execution.rows_per_block, shape.block_rows);
  }
}

TEST(SpmvExecution, StreamsSmallBlocksThatDoNotFitInTheCache) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 8, 1);
  const SegmentShape shape = shape_on_gpu(matrix, block_layout(3));
  const CudaPolicy policy;
  GpuShape small = gpu;
  small.l2_bytes = 1000;
  EXPECT_FALSE(spmv_execution(shape, block_layout(3), Precision::f32, gpu, policy).streams);
  const SpmvExecution streams =
      spmv_execution(shape, block_layout(3), Precision::f32, small, policy);
  EXPECT_TRUE(streams.streams);
  EXPECT_EQ(streams.threads, 128);
  EXPECT_EQ(streams.rows_per_block, 4 * 32);
}

TEST(SpmvExecution, CutsLongRowsIntoPieces) {
  // Four rows of 1, one of 20000.
  const CsrMatrix<double> matrix = [] {
    CsrMatrix<double> arrow = with_offset(5, 0);
    arrow.columns = 20000;
    arrow.column_indices.pop_back();
    for (std::int32_t column = 0; column < 20000; ++column) arrow.column_indices.push_back(column);
    arrow.values = Buffer<double>(arrow.column_indices.size(), 1.5);
    arrow.row_offsets.back() = arrow.nonzeros();
    return arrow;
  }();
  CudaPolicy policy;
  policy.lanes_per_row = 2;
  const SegmentShape shape = shape_on_gpu(matrix, Layout{}, policy);
  const MatrixAccess access = compute_access<double>(matrix);
  const SpmvExecution execution =
      spmv_execution(shape, block_layout(1), Precision::f32, gpu, policy, access.row_lengths(1));
  EXPECT_EQ(execution.longest_short_row, 4 * 2 * 8);
  EXPECT_EQ(execution.piece_length, 256);
  EXPECT_EQ(execution.long_rows, 1);
  EXPECT_EQ(execution.pieces, 79);
  EXPECT_EQ(execution.piece_blocks(), 10);
}

TEST(SpmvExecution, CutsLongerPiecesWhereTheMatrixIsLarger) {
  const auto length_of = [](double blocks, int block_size) {
    const SegmentShape shape{.unknowns = blocks * block_size / 10,
                             .total_unknowns = blocks * block_size / 10,
                             .elements = blocks * block_size * block_size,
                             .blocks = blocks,
                             .block_rows = blocks / 10};
    return spmv_execution(shape, block_layout(block_size), Precision::f64, gpu, CudaPolicy{})
        .piece_length;
  };
  const double for_all = 32.0 * gpu.multiprocessors;
  EXPECT_EQ(length_of(200 * for_all, 1), 256);
  EXPECT_EQ(length_of(1000 * for_all, 1), 768);  // whole passes of a warp
  EXPECT_EQ(length_of(1e5 * for_all, 1), 2048);
  EXPECT_EQ(length_of(10 * for_all, 3), 64);
  EXPECT_EQ(length_of(1e5 * for_all, 3), 2048 / 9);
}

TEST(SpmvExecution, IsTheSameWherePositionsAreLong) {
  CudaPolicy policy;
  policy.most_values_with_32_bit_offsets = 1000;
  SegmentShape shape;
  shape.block_rows = 1000;
  for (const double mean : {2.0, 20.0, 200.0}) {
    shape.blocks = shape.elements = mean * shape.block_rows;
    const auto lanes = [&](const CudaPolicy& one) {
      return spmv_execution(shape, block_layout(1), Precision::f64, gpu, one).lanes;
    };
    EXPECT_EQ(lanes(policy), lanes(CudaPolicy{}));
  }
}

TEST(ProductGeometry, LeavesRoomByRegisters) {
  const SegmentShape shape{.blocks = 100};
  const auto room = [&](Precision precision) {
    return product_geometry(shape, Layout{}, precision, SpmvExecution{}).resident_blocks;
  };
  EXPECT_EQ(room(Precision::f32), 8);
  EXPECT_EQ(room(Precision::f64), 6);
}

TEST(ProductGeometry, OfNothingStoredIsThatOfCsr) {
  const auto of = [](const Layout& layout, double blocks) {
    return product_geometry({.blocks = blocks}, layout, Precision::f64, SpmvExecution{});
  };
  EXPECT_EQ(of(block_layout(8), 0), of(Layout{}, 100));
  EXPECT_NE(of(block_layout(8), 100), of(Layout{}, 100));
}

}  // namespace
}  // namespace sparsecast
