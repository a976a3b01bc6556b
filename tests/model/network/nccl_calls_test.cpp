#include "model/network/nccl_calls.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

constexpr double kernel_seconds = 2e-6;

SegmentWork segment(double rows, double received, double interior_rows) {
  SegmentWork work;
  work.shape.unknowns = rows;
  work.shape.total_unknowns = 2 * rows;
  work.shape.elements = work.shape.blocks = 7 * rows;
  work.received = received;
  work.sent = received / 2;
  work.interior_rows = interior_rows;
  return work;
}

/// An exchange of 30 us beside a sum of 20, of two ranks alike.
ParallelCosts called(const Schedule& schedule, const SegmentWork& work,
                     Precision precision = Precision::f64) {
  ParallelCosts costs;
  costs.exchanges = {{1e-5, 2e-5, 0}, {1e-5, 2e-5, 0}};
  costs.sum_seconds = 2e-5;
  call_nccl(costs, schedule, std::vector{work, work}, precision, kernel_seconds);
  EXPECT_DOUBLE_EQ(costs.sum_seconds, 2e-5 + kernel_seconds);
  EXPECT_EQ(costs.exchanges[0].moving_seconds, costs.exchanges[1].moving_seconds);
  return costs;
}

TEST(NcclCalls, SumsCarrySmallHalosOfASearchDirection) {
  const ParallelCosts::Exchange one =
      called(fused_cg_schedule(), segment(1e6, 1e4, 9e5)).exchanges[0];
  EXPECT_DOUBLE_EQ(one.fixed_seconds + one.moving_seconds, 1e-5);
  EXPECT_EQ(one.hidden, 0);
}

TEST(NcclCalls, ProductsOfOwnColumnsPassWhileLargeHalosTravel) {
  const SegmentWork large = segment(1e6, 3e5, 6e5);
  const ParallelCosts::Exchange one = called(fused_cg_schedule(), large).exchanges[0];
  EXPECT_EQ(one.fixed_seconds, kernel_seconds);
  EXPECT_DOUBLE_EQ(one.moving_seconds, 3e-5);
  EXPECT_EQ(one.hidden, own_share(large));
  // Half the bytes, just below what is large.
  EXPECT_EQ(called(fused_cg_schedule(), segment(1e6, 5e5, 6e5), Precision::f32).exchanges[0].hidden,
            0);
  EXPECT_GT(
      called(fused_cg_schedule(), segment(1e6, 5.3e5, 6e5), Precision::f32).exchanges[0].hidden, 0);
}

TEST(NcclCalls, OfATransposeNothingOverlaps) {
  const Schedule bicg = lower(shipped_method("bicg"), {}, Execution::fused).schedule;
  const ParallelCosts::Exchange one = called(bicg, segment(1e6, 3e5, 6e5)).exchanges[0];
  EXPECT_EQ(one.hidden, 0);
}

TEST(OwnShare, LiesBetweenAnEntryAndAllOfTheRowsThatLookOutside) {
  EXPECT_EQ(own_share(segment(1e6, 0, 1e6)), 1);
  for (const double outside : {1e3, 1e5, 1e6}) {
    const double share = own_share(segment(1e6, outside, 1e6 - outside));
    EXPECT_LT(share, 1 - outside / 7e6);
    EXPECT_GT(share, 1 - outside / 1e6);
  }
  // Each value that is looked up takes an entry.
  EXPECT_LT(own_share(segment(1e6, 3e6, 0)), 1 - 3. / 7);
  EXPECT_EQ(own_share(segment(1e6, 9e6, 0)), 0);
}

}  // namespace
}  // namespace sparsecast
