#include "predict/forecast/device_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

TEST(DeviceMemory, HoldsTheTransposeBesideTheMatrix) {
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = shape.block_rows = 1000;
  shape.elements = shape.blocks = 5000;
  const std::vector<SegmentShape> segments{shape};
  Schedule schedule = fused_cg_schedule();
  const std::int64_t once = fullest_device_bytes(schedule, segments, Precision::f64);
  schedule.iteration.front().transposed = true;
  EXPECT_EQ(stored_matrices(schedule), 2);
  EXPECT_EQ(fullest_device_bytes(schedule, segments, Precision::f64) - once,
            static_cast<std::int64_t>(matrix_bytes(shape, Precision::f64)));
}

}  // namespace
}  // namespace sparsecast
