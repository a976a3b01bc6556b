#include "calibrate/measure/planned_executions.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

SuppliedMatrix supplied(CsrMatrix<double> matrix) {
  SuppliedMatrix one;
  one.f64 = std::move(matrix);
  one.features = compute_features<double>(one.f64);
  return one;
}

Measurement in_layout(const Layout& layout, double most_fill) {
  Measurement measurement;
  measurement.kernel = "SpMV";
  measurement.matrix = 0;
  measurement.layout = layout;
  measurement.most_fill = most_fill;
  return measurement;
}

TEST(PlannedExecutions, LeaveOutLayoutsThatHoldMostlyZeros) {
  MeasuredDevice device;
  device.most_matrix_bytes = 1e9;
  const SuppliedMatrix grid = supplied(laplacian(5, 40, 40));
  EXPECT_FALSE(is_left_out(in_layout(Layout{}, 1), grid, device));
  EXPECT_TRUE(is_left_out(in_layout(block_layout(4), 2), grid, device));
  EXPECT_FALSE(is_left_out(in_layout({"dia"}, 1.1), grid, device));
  EXPECT_TRUE(is_left_out(in_layout({"dia"}, 1), grid, device));
  device.most_matrix_bytes = 8 * 1600 * 4;
  EXPECT_TRUE(is_left_out(in_layout({"dia"}, 3), grid, device));
}

TEST(PlannedExecutions, LeaveOutWhatNoBackEndStores) {
  MeasuredDevice device;
  device.most_matrix_bytes = 1e12;
  // Entries on nearly all diagonals, far more than 4 values for each nonzero.
  const SuppliedMatrix scattered = supplied(power_law(20000, 8, 2.1, 1));
  EXPECT_TRUE(is_left_out(in_layout({"dia"}, 1e9), scattered, device));
  EXPECT_FALSE(is_left_out(in_layout(Layout{}, 1e9), scattered, device));
  // Of a layout that is for comparisons it is counted when it is asked for.
  EXPECT_TRUE(is_left_out(in_layout({"ell"}, 1e9), scattered, device));
  EXPECT_FALSE(is_left_out(in_layout({"hyb"}, 1e9), scattered, device));
}

}  // namespace
}  // namespace sparsecast
