#include "predict/validation/roofline.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "predict/traffic_profile.hpp"

namespace sparsecast {
namespace {

SegmentShape shape_of(double unknowns, double elements) {
  return {unknowns, unknowns, elements, elements, unknowns, 4, 8};
}

/// Of a product in f64: matrix and input, and the result.
double bytes_read(const SegmentShape& shape) {
  return 12 * shape.elements + 8 * shape.block_rows + 8 * shape.unknowns;
}

TEST(Roofline, OfWhatFitsIntoL2IsLaunchAndItsBandwidth) {
  const SegmentShape shape = shape_of(1000, 5000);
  const Schedule product = single_step_schedule("SpMV");

  const double seconds = roofline_seconds(product, LaunchMode::graph, shape, {},
                                          testing::made_up_traffic_profile(), Precision::f64);

  EXPECT_NEAR(seconds, 2e-6 + (bytes_read(shape) + 8 * 1000) / 9000e9, 1e-15);
}

TEST(Roofline, OfMoreIsThatOfMemory) {
  const SegmentShape shape = shape_of(1e7, 5e7);
  const Schedule product = single_step_schedule("SpMV");

  const double seconds = roofline_seconds(product, LaunchMode::plain, shape, {},
                                          testing::made_up_traffic_profile(), Precision::f64);

  EXPECT_NEAR(seconds, 3e-6 + bytes_read(shape) / 4200e9 + 8e7 / 3500e9, 1e-12);
}

TEST(Roofline, OfIterationsCountsLaunchesOrSums) {
  const SegmentShape tiny = shape_of(1, 1);
  DeviceProfile profile = testing::made_up_traffic_profile();
  profile.traffic->parameters.kernels.at("vector").sum_seconds = 5e-7;
  const auto seconds = [&](LaunchMode launch) {
    return roofline_seconds(fused_cg_schedule(), launch, tiny, {}, profile, Precision::f64);
  };
  // Three kernels, of which two end with sums.
  EXPECT_NEAR(seconds(LaunchMode::graph), 3 * 2e-6 + 2 * 5e-7 + 1e-7, 1e-9);
  EXPECT_NEAR(seconds(LaunchMode::host), 3 * 3e-6 + 2 * (1e-5 + 5e-7), 1e-9);
  EXPECT_NEAR(seconds(LaunchMode::persistent), 3e-6, 1e-9);
}

TEST(Roofline, NeedsAGpusTrafficModel) {
  EXPECT_THROW(roofline_seconds(single_step_schedule("SpMV"), LaunchMode::graph, shape_of(10, 10),
                                {}, testing::made_up_cpu_profile(2), Precision::f64),
               Error);
}

}  // namespace
}  // namespace sparsecast
