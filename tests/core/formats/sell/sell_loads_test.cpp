#include "core/formats/sell/loads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "core/formats/load_counts.hpp"
#include "core/formats/matrix_of_rows.hpp"
#include "core/formats/registry.hpp"
#include "core/formats/sell/geometry.hpp"
#include "core/formats/sell/sell.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "model/traffic/gpu_pricer.hpp"

namespace sparsecast {
namespace {

WarpLoads counted(const CsrMatrix<double>& matrix, const char* name, Precision precision) {
  return count_sell_loads(matrix.view().pattern(), {0, matrix.rows}, parse_layout(name), precision,
                          {}, 1);
}

TEST(SellLoads, OfRowsOfTheSameColumns) {
  // Ten steps: f32 loads eight values a lane at a time, f64 four, of one row or of four.
  const CsrMatrix<double> matrix = same_rows(128, 10);
  // Lanes that are taken together, 32 of f32 or 16 of f64, look one line up.
  EXPECT_EQ(counted(matrix, "sell32", Precision::f32), (WarpLoads{4 * 2, 4 * 10}));
  EXPECT_EQ(counted(matrix, "sell32", Precision::f64), (WarpLoads{4 * 3, 4 * 10 * 2}));
  EXPECT_EQ(counted(matrix, "sell128", Precision::f32), (WarpLoads{5, 10 * 4}));
  EXPECT_EQ(counted(matrix, "sell128", Precision::f64), (WarpLoads{10, 10 * 4 * 2}));
  // Groups of four steps, the last of two: 8 lanes a step, each step in a line of its own; what is
  // padding looks the group's first column up.
  EXPECT_EQ(counted(matrix, "sell8", Precision::f32), (WarpLoads{16, 16 * (4 + 4 + 2)}));
  EXPECT_EQ(counted(matrix, "sell8", Precision::f64), (WarpLoads{16, 16 * (4 + 4 + 3)}));
}

TEST(SellLoads, OnDiagonalsAreOfNeighbours) {
  // Three diagonals; slices at both ends are not stored on them.
  const CsrMatrix<double> matrix = laplacian(3, 3200);
  const WarpLoads loads = counted(matrix, "sell32", Precision::f32);
  EXPECT_EQ(loads.passes, 100);
  // 32 neighbours of 4 bytes begin with a line, or cross into another one.
  EXPECT_NEAR(loads.lines, 100 * (1 + 2 + 2), 6);
}

TEST(SellLoads, OfALargeMatrixAreEstimatedFromASampleOfItsSlices) {
  const CsrMatrix<double> matrix = random_csr<double>(120'000, 50'000, 10, 3);
  ASSERT_GT(static_cast<double>(matrix.nonzeros()), 3 * most_entries_of_sample);
  for (const char* name : {"sell32", "sell128", "sell32-sorted512"}) {
    const SellMatrix<double> sell =
        convert_to_sell(matrix.view(), {0, matrix.rows}, parse_layout(name));
    const int at_once = sell_values_at_once<double> / sell_rows_of_lane(sell.slice_height);
    double passes = 0;
    for (std::int64_t slice = 0; slice < sell.slices(); ++slice) {
      passes += std::ceil((sell.group_begins[slice + 1] - sell.group_begins[slice]) /
                          static_cast<double>(at_once));
    }
    EXPECT_NEAR(counted(matrix, name, Precision::f64).passes / passes, 1, 0.03) << name;
  }
}

TEST(SellGeometry, HoldsAWarpsValuesInAPass) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const Layout& layout : all_layouts()) {
      if (layout.format != "sell") continue;
      SegmentShape shape;
      shape.unknowns = 5000;
      const SpmvExecution execution = sell_execution(shape, layout);
      const double rows_of_warp =
          static_cast<double>(execution.rows_per_block) * 32 / execution.threads;
      const double values = precision == Precision::f32 ? 8 * 32 : 4 * 32;
      EXPECT_EQ(sell_geometry(layout, precision).blocks_in_pass * rows_of_warp, values)
          << to_string(layout);
      EXPECT_EQ(execution.blocks, (5000 + execution.rows_per_block - 1) / execution.rows_per_block);
      EXPECT_EQ(product_key(layout), "sell");
    }
  }
}

}  // namespace
}  // namespace sparsecast
