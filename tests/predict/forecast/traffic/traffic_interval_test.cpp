#include "predict/forecast/traffic/traffic_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "model/interval_widening.hpp"

namespace sparsecast {
namespace {

TrafficProfile profile_with_intervals() {
  TrafficProfile profile;
  profile.intervals["iteration/0"] = {0.9, 1.2, 50};
  profile.intervals["iteration/3"] = {0.9, 1.2, 50, 0, 1e9};
  return profile;
}

const PricedSchedule& cg() {
  static const Schedule schedule = fused_cg_schedule();
  static const PricedSchedule priced(schedule);
  return priced;
}

TEST(TrafficInterval, IsThatOfKindAndSize) {
  const auto interval =
      traffic_interval(profile_with_intervals(), {cg(), LaunchMode::graph, {}, 1e6, 2.0});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 1.8);
  EXPECT_DOUBLE_EQ(interval->high, 2.4);
  EXPECT_FALSE(traffic_interval(profile_with_intervals(), {cg(), LaunchMode::graph, {}, 1e7, 2.0}));
  EXPECT_FALSE(
      traffic_interval(profile_with_intervals(), {cg(), LaunchMode::persistent, {}, 1e6, 2.0}));
}

TEST(TrafficInterval, IsWiderOfWhatCalibrationSawNothingLikeAndSaysSo) {
  const TrafficProfile profile = profile_with_intervals();
  const TrafficTime usual{cg(), LaunchMode::graph, {}, 1e6, 1.0, 0.6};
  const TrafficTime unlike{cg(), LaunchMode::graph, {}, 1e6, 1.0, 0.0};
  EXPECT_DOUBLE_EQ(traffic_interval(profile, unlike)->low, 0.9 * 0.9);
  EXPECT_DOUBLE_EQ(traffic_interval(profile, unlike)->high, 1.2 * 1.2);
  EXPECT_EQ(novelty_warning(profile, usual), "");
  EXPECT_EQ(novelty_warning(profile, unlike),
            "calibration measured little of the kind; the interval is wider");
}

TEST(TrafficInterval, IsWiderOfKernelsThatNoCalibrationMeasuresAndSaysSo) {
  const TrafficProfile profile = profile_with_intervals();
  Schedule blocks = cg().schedule();
  blocks.iteration.push_back(block_step({0, 1}, 2, 3));
  const PricedSchedule priced(blocks);
  const TrafficTime time{priced, LaunchMode::graph, {}, 1e6, 1.0, 0.6};
  EXPECT_DOUBLE_EQ(traffic_interval(profile, time)->high,
                   std::pow(1.2, unmeasured_kernel_widening));
  EXPECT_EQ(novelty_warning(profile, time),
            "products by diagonal blocks are priced as passes over vectors, calibration has not "
            "measured them; the interval is wider");
}

TEST(TrafficInterval, IsWiderOfWhatIsLargerThanCalibrationMeasuredAndSaysSo) {
  const TrafficProfile profile = profile_with_intervals();
  const TrafficTime large{cg(), LaunchMode::graph, {}, 4e9, 1.0};
  EXPECT_LT(traffic_interval(profile, large)->low, 0.8);
  EXPECT_GT(traffic_interval(profile, large)->high, 1.5);
  EXPECT_EQ(novelty_warning(profile, large),
            "an iteration touches more memory than any that calibration measured (1000 MB); the "
            "interval is wider");
}

}  // namespace
}  // namespace sparsecast
