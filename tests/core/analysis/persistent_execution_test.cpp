#include "core/analysis/persistent_execution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

constexpr GpuShape gpu{132, 60 << 20, 227 << 10};

std::vector<std::pair<std::string, CsrMatrix<double>>> matrices() {
  std::vector<std::pair<std::string, CsrMatrix<double>>> all;
  all.emplace_back("grid", laplacian(5, 150, 160));
  all.emplace_back("small grid", laplacian(5, 30, 20));
  all.emplace_back("cube", laplacian(27, 20, 21, 22));
  all.emplace_back("finite elements", fem_elasticity(1, 12, 1));
  all.emplace_back("large grid", laplacian(5, 900, 800));
  return all;
}

PersistentExecution exact(const CsrMatrix<double>& matrix, int block_size, Precision precision) {
  return persistent_execution(matrix.view().pattern(), block_layout(block_size), precision, gpu,
                              {});
}

TEST(PersistentExecution, CountsWhatSegmentsLookUpInOthers) {
  const CsrMatrix<double> matrix = power_law(3000, 8, 2.1, 1);
  const PersistentExecution execution = exact(matrix, 1, Precision::f64);
  const PersistentCut cut = cut_persistent(
      BlockPattern(matrix.view().pattern(), 1).view(),
      persistent_shape(compute_features<double>(matrix).shape(Layout{}), gpu, {}), sizeof(double));
  double halo = 0;
  double largest = 0;
  for (const PersistentSegment& segment : cut.segments) {
    std::set<std::int32_t> others;
    for (std::int64_t k = matrix.row_offsets[segment.first_row];
         k < matrix.row_offsets[segment.first_row + segment.rows]; ++k) {
      const std::int32_t column = matrix.column_indices[k];
      if (column < segment.first_row || column >= segment.first_row + segment.rows) {
        others.insert(column);
      }
    }
    const auto columns = std::span(cut.halo_columns)
                             .subspan(static_cast<std::size_t>(segment.halo_begin),
                                      static_cast<std::size_t>(segment.halo));
    EXPECT_TRUE(std::ranges::equal(columns, others)) << "segment at row " << segment.first_row;
    halo += static_cast<double>(others.size());
    largest = std::max(largest, static_cast<double>(others.size()));
  }
  EXPECT_GT(halo, 0);
  EXPECT_EQ(execution.halo, halo);
  EXPECT_EQ(execution.largest_halo, largest);
}

TEST(PersistentExecution, CountsTheLinesOfPacketsInTheHaloThatHasMost) {
  const CsrMatrix<double> matrix = power_law(3000, 8, 2.1, 1);
  for (const int n : {1, 3}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const auto value_bytes = static_cast<int>(bytes_per_value(precision));
      const PersistentCut cut = cut_persistent(
          BlockPattern(matrix.view().pattern(), n).view(),
          persistent_shape(compute_features<double>(matrix).shape(block_layout(n)), gpu, {}),
          value_bytes);
      std::size_t most = 0;
      for (const PersistentSegment& segment : cut.segments) {
        std::set<std::int64_t> lines;
        for (const std::int32_t column : std::span(cut.halo_columns)
                                             .subspan(static_cast<std::size_t>(segment.halo_begin),
                                                      static_cast<std::size_t>(segment.halo))) {
          for (std::int64_t row = column * n; row < (column + 1) * n; ++row) {
            lines.insert(row * 2 * value_bytes / 128);
          }
        }
        most = std::max(most, lines.size());
      }
      EXPECT_GT(most, 0U);
      EXPECT_EQ(exact(matrix, n, precision).most_halo_lines, static_cast<double>(most)) << n;
    }
  }
}

/// A row with an entry in every column: its segment has the whole vector in its window.
TEST(PersistentExecution, CountsWhatTheSegmentMovesThatMovesMost) {
  const PersistentExecution even = exact(laplacian(5, 400, 400), 1, Precision::f64);
  EXPECT_GE(even.most_moved_bytes * even.blocks, even.moved_bytes);
  const PersistentExecution hub = exact(arrow(20'000, 1, 1), 1, Precision::f64);
  ASSERT_TRUE(hub.fits);
  EXPECT_GT(hub.most_moved_bytes, 0.5 * hub.moved_bytes);
  EXPECT_LE(hub.most_moved_bytes, hub.moved_bytes);
}

TEST(PersistentExecution, TakesEveryBlockInAStep) {
  for (const auto& [name, matrix] : matrices()) {
    for (const int n : {1, 3, 6}) {
      const PersistentExecution execution = exact(matrix, n, Precision::f32);
      EXPECT_EQ(execution.block_size, n == 1 ? 1 : 3) << name;
      const double blocks =
          compute_features<double>(matrix).shape(block_layout(execution.block_size)).blocks;
      EXPECT_GE(32 * execution.steps, blocks) << name;
      EXPECT_LE(32 * execution.steps, 2 * blocks + 32 * 64) << name;
      EXPECT_GE(execution.most_steps * execution.blocks, execution.steps) << name;
      EXPECT_TRUE(execution.fits) << name;
      EXPECT_TRUE(execution.balanced) << name;
    }
  }
}

TEST(PersistentExecution, OfASmallSystemStaysInSharedMemory) {
  const PersistentExecution execution = exact(laplacian(5, 100, 100), 1, Precision::f64);
  EXPECT_TRUE(execution.chosen);
  EXPECT_EQ(execution.resident_share, 1);
  EXPECT_EQ(execution.moved_bytes, 0);
}

TEST(PersistentExecution, OfALargeSystemMovesWhatIsNotResident) {
  const PersistentExecution execution = exact(laplacian(5, 900, 800), 1, Precision::f64);
  EXPECT_LT(execution.resident_share, 1);
  const double bytes_of_step = 32 * (8 + 2);
  EXPECT_GE(execution.moved_bytes,
            (1 - execution.resident_share) * execution.steps * bytes_of_step);
}

TEST(PersistentExecution, DoesNotFitWhereSegmentsHaveTooManyRows) {
  GpuShape small = gpu;
  small.multiprocessors = 2;
  const CsrMatrix<double> matrix = laplacian(5, 300, 300);
  const PersistentExecution execution =
      persistent_execution(matrix.view().pattern(), Layout{}, Precision::f64, small, {});
  EXPECT_FALSE(execution.fits);
  EXPECT_FALSE(execution.chosen);
  EXPECT_EQ(execution.blocks, 2);
  EXPECT_GE(execution.window_bytes, 45000 * 8);
}

TEST(PersistentExecution, NeedsLessSharedMemoryForNarrowerValues) {
  const CsrMatrix<double> matrix = laplacian(27, 30, 30, 30);
  EXPECT_LT(exact(matrix, 1, Precision::f32).window_bytes,
            exact(matrix, 1, Precision::f64).window_bytes);
}

TEST(EstimatedPersistentExecution, IsNearFromShapeAndPattern) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  for (const auto& [name, matrix] : matrices()) {
    for (const int n : {1, 3}) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        SCOPED_TRACE(testing::Message() << name << ", " << n << ", " << to_string(precision));
        Layout sorted = block_layout(n);
        sorted.row_order = RowOrder::sorted;
        const AccessPattern pattern = compute_access<double>(matrix).pattern(sorted, precision);
        const double values_of_sector = 32.0 / static_cast<double>(bytes_per_value(precision));
        const PersistentExecution found = estimate_persistent_execution(
            compute_features<double>(matrix).shape(block_layout(n)), pattern,
            [&](double rows) { return distinct_sectors(pattern, rows) * values_of_sector; }, n,
            precision, gpu, {});
        const PersistentExecution real = exact(matrix, n, precision);
        EXPECT_EQ(found.blocks, real.blocks);
        EXPECT_EQ(found.threads, real.threads);
        EXPECT_EQ(found.lanes, real.lanes);
        EXPECT_EQ(found.fits, real.fits);
        EXPECT_EQ(found.balanced, real.balanced);
        EXPECT_EQ(found.chosen, real.chosen);
        EXPECT_GT(found.steps, 0.8 * real.steps);
        EXPECT_LT(found.steps, 1.3 * real.steps);
        EXPECT_GT(found.halo, 0.5 * real.halo);
        EXPECT_LT(found.halo, 2 * real.halo);
        EXPECT_NEAR(found.resident_share, real.resident_share, 0.15);
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
