#include "core/analysis/counted/product_counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// With long rows, so that the length of their pieces matters.
TEST(ProductCounts, AreThoseOfAnyGpuAtHand) {
  const CsrMatrix<double> matrix = power_law(6000, 20, 2.1, 4);
  const MatrixFeatures features = compute_features(matrix.view());
  const MatrixAccess access = compute_access(matrix.view());
  constexpr unsigned seed = 20260802;
  std::mt19937 random(seed);
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random);
  };
  bool cuts = false;
  for (const Layout& layout : usual_layouts()) {
    const SegmentShape shape = cuda_shape(features, access, layout, {});
    const auto lengths = access.row_lengths(layout.block_size);
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const auto counted =
          count_products(matrix.view(), {0, matrix.rows}, shape, layout, precision, {}, lengths);
      for (int trial = 0; trial < 5; ++trial) {
        const GpuShape gpu{static_cast<int>(up_to(most_multiprocessors)), up_to(4'000'000), 0};
        SpmvExecution expected = spmv_execution(shape, layout, precision, gpu, {}, lengths);
        expected.loads =
            product_loads(matrix.view(), {0, matrix.rows}, shape, layout, precision, expected);
        cuts = cuts || expected.pieces > 0;
        EXPECT_EQ(counted_product(counted, shape, layout, precision, gpu, {}), expected)
            << to_string(layout) << ' ' << gpu.multiprocessors << ", seed " << seed;
      }
    }
  }
  EXPECT_TRUE(cuts);
}

TEST(ProductCounts, OfAnotherWayAreNotThere) {
  const CsrMatrix<double> grid = laplacian(7, 10, 10, 10);
  const MatrixAccess access = compute_access(grid.view());
  const SegmentShape shape = cuda_shape(compute_features(grid.view()), access, {}, {});
  auto counted = count_products(grid.view(), {0, grid.rows}, shape, {}, Precision::f64, {},
                                access.row_lengths(1));
  const GpuShape gpu{132, 60'000'000, 0};
  ASSERT_TRUE(counted_product(counted, shape, {}, Precision::f64, gpu, {}));
  for (ProductCounts& one : counted) one.lanes *= 2;
  EXPECT_FALSE(counted_product(counted, shape, {}, Precision::f64, gpu, {}));
}

TEST(ProductCounts, OfLayoutsForComparisonsAreRefused) {
  const CsrMatrix<double> grid = laplacian(5, 8, 8);
  EXPECT_EQ(refusal_of([&] {
              count_products(grid.view(), {0, grid.rows}, {}, parse_layout("cusparse"),
                             Precision::f64, {}, {});
            }),
            "layout cusparse is for comparisons: its products are measured, not forecast");
}

}  // namespace
}  // namespace sparsecast
