#include "core/analysis/cuda_segments.hpp"

#include <gtest/gtest.h>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/estimated_access.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

const GpuShape gpu{132, 50'000'000, 232'448};

std::vector<SegmentWork> halves(const CsrMatrix<double>& matrix, const Layout& layout = {},
                                ExchangeMode mode = ExchangeMode::halo, int devices = 2) {
  return cuda_segments(matrix.view(), layout, devices, Precision::f64, gpu, CudaPolicy{}, mode);
}

TEST(CudaSegments, TogetherTheyAreTheMatrix) {
  const CsrMatrix<double> matrix = random_matrix({.rows = 3000, .mean_row_length = 17});
  for (const int block : {1, 3, 4}) {
    const Layout layout = block_layout(block);
    SegmentShape whole;
    for (const SegmentWork& one : halves(matrix, layout, ExchangeMode::halo, 3)) {
      whole.unknowns += one.shape.unknowns;
      whole.elements += one.shape.elements;
      whole.blocks += one.shape.blocks;
      whole.block_rows += one.shape.block_rows;
      EXPECT_EQ(one.shape.total_unknowns, 3000);
    }
    const SegmentShape expected = compute_features(matrix.view()).shape(layout);
    EXPECT_EQ(whole.unknowns, expected.unknowns);
    EXPECT_EQ(whole.elements, expected.elements);
    EXPECT_EQ(whole.blocks, expected.blocks);
    EXPECT_EQ(whole.block_rows, expected.block_rows);
  }
}

TEST(CudaSegments, OfAGridExchangeItsCrossSection) {
  const CsrMatrix<double> grid = laplacian(7, 16, 8, 20);
  for (const SegmentWork& one : halves(grid)) {
    EXPECT_EQ(one.received, 16 * 8);
    EXPECT_EQ(one.sent, 16 * 8);
    EXPECT_EQ(one.interior_rows, one.shape.unknowns - 16 * 8);
  }
  for (const SegmentWork& one : halves(grid, {}, ExchangeMode::peer)) {
    EXPECT_EQ(one.received, one.shape.total_unknowns - one.shape.unknowns);
  }
}

TEST(CudaSegments, KnowTheirNeighboursWhereHalosAreExchanged) {
  const CsrMatrix<double> grid = laplacian(7, 16, 8, 40);
  for (const ExchangeMode mode :
       {ExchangeMode::halo, ExchangeMode::nccl, ExchangeMode::gpu_aware}) {
    const std::vector<SegmentWork> all = halves(grid, {}, mode, 4);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].neighbours, (std::vector<Neighbour>{{1, 128, 128}}));
    EXPECT_EQ(all[1].neighbours, (std::vector<Neighbour>{{0, 128, 128}, {2, 128, 128}}));
    EXPECT_EQ(all[3].neighbours, (std::vector<Neighbour>{{2, 128, 128}}));
  }
  for (const SegmentWork& one : halves(grid, {}, ExchangeMode::peer)) {
    EXPECT_TRUE(one.neighbours.empty());
  }
}

TEST(CudaSegments, ASegmentLooksUpLikeTheMatrixItIsCutFrom) {
  const CsrMatrix<double> grid = laplacian(27, 20, 20, 40);
  const MatrixAccess access = compute_access(grid.view());
  const AccessPattern whole = access.pattern({}, Precision::f64);
  double lookups = 0;
  double bandwidth = 0;
  double steps = 0;
  for (const SegmentWork& one : halves(grid)) {
    for (const double count : one.pattern.sector_lookups) lookups += count;
    bandwidth = std::max(bandwidth, one.pattern.bandwidth);
    steps += one.pattern.warp_steps[0];
  }
  EXPECT_EQ(lookups, static_cast<double>(grid.nonzeros()));
  EXPECT_EQ(bandwidth, whole.bandwidth);
  EXPECT_EQ(steps, whole.warp_steps[0]);
}

TEST(CudaSegments, ColumnsCountFromTheSegmentsOwnRows) {
  // Far from the first column, near to the diagonal.
  const CsrMatrix<double> line = laplacian(3, 200'000);
  for (const SegmentWork& one : halves(line)) EXPECT_EQ(one.shape.index_bytes, 2);
}

TEST(CudaSegments, MayBeEmpty) {
  const std::vector<SegmentWork> all = halves(laplacian(3, 40), {}, ExchangeMode::halo, 4);
  ASSERT_EQ(all.size(), 4U);
  double unknowns = 0;
  for (const SegmentWork& one : all) unknowns += one.shape.unknowns;
  EXPECT_EQ(unknowns, 40);
}

TEST(CudaSegments, HaveTheGeometryThatTextsLeaveOut) {
  const Layout layout = block_layout(3);
  const std::vector<SegmentWork> counted = halves(laplacian(27, 10, 10, 10), layout);
  std::vector<SegmentWork> read = parse_segment_work(to_text(counted));
  fill_geometry(read, layout, Precision::f64);
  ASSERT_EQ(read.size(), counted.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].geometry, counted[i].geometry);
    EXPECT_NE(read[i].geometry, ProductGeometry{});
  }
}

TEST(CudaSegments, InDiagonalsHaveRowsOfOneLength) {
  const CsrMatrix<double> grid = laplacian(7, 16, 16, 16);
  const Layout dia{"dia", 1, RowOrder::natural};
  for (const SegmentWork& one : halves(grid, dia)) {
    EXPECT_EQ(one.pattern.longest_row, 7);
    EXPECT_EQ(one.pattern.row_deviation, 0);
    EXPECT_EQ(one.pattern.warp_steps[0], 2048 / 32 * 7);
    EXPECT_EQ(one.pattern.warp_steps[5], 2048);
    EXPECT_EQ(one.pattern.bandwidth, 256);
    EXPECT_EQ(one.shape.elements, 7 * 2048);
    EXPECT_EQ(one.shape.index_bytes, 0);
    EXPECT_EQ(one.product.long_rows, 0);
    EXPECT_GT(one.product.loads.passes, 0);
  }
}

TEST(EstimatedHalo, OfGridsIsWithinAFactorOfTheirCrossSections) {
  const CsrMatrix<double> large = laplacian(27, 40, 40, 40);
  const CsrMatrix<double> flat = laplacian(5, 200, 200);
  // Of fewer than ten neighbours a node, only distances tell three dimensions from two.
  const CsrMatrix<double> in_three_dimensions = laplacian(7, 40, 40, 40);
  for (const CsrMatrix<double>* each : {&in_three_dimensions, &large, &flat}) {
    const CsrMatrix<double>& grid = *each;
    MatrixNumbers numbers;
    if (each == &in_three_dimensions) numbers.of_rows = count_row_numbers(grid.view().pattern());
    numbers.rows = static_cast<double>(grid.rows);
    numbers.nonzeros = static_cast<double>(grid.nonzeros());
    for (const int devices : {2, 4}) {
      double counted = 0;
      for (const SegmentWork& one : halves(grid, {}, ExchangeMode::halo, devices)) {
        counted = std::max(counted, one.received);
      }
      const double estimated = estimate_halo(numbers, devices);
      EXPECT_LT(estimated, 2.5 * counted) << grid.nonzeros() << ' ' << devices;
      EXPECT_GT(estimated, counted / 2.5) << grid.nonzeros() << ' ' << devices;
    }
  }
}

TEST(EstimatedHalo, OfScatteredColumnsIsNearlyAllThatOthersHave) {
  const CsrMatrix<double> matrix = random_matrix({.rows = 20'000, .mean_row_length = 20});
  MatrixNumbers numbers;
  numbers.rows = static_cast<double>(matrix.rows);
  numbers.nonzeros = static_cast<double>(matrix.nonzeros());
  numbers.of_rows = count_row_numbers(matrix.view().pattern());
  const double counted = halves(matrix).front().received;
  EXPECT_NEAR(estimate_halo(numbers, 2), counted, 0.2 * counted);
}

}  // namespace
}  // namespace sparsecast
