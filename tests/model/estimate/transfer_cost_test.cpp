#include "model/estimate/transfer_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast {
namespace {

TEST(TransferCost, IsFoundOnPairsOfDataSheets) {
  for (const Transfer transfer : {Transfer::estimated, Transfer::measured_in_part}) {
    for (const TransferCost& each : transfer_costs(transfer)) {
      EXPECT_NO_THROW(data_sheet(each.from));
      EXPECT_NO_THROW(data_sheet(each.to));
      EXPECT_GT(each.patterns, 0);
      EXPECT_LE(each.low, each.high);
      EXPECT_FALSE(each.source.empty());
    }
  }
}

TEST(TransferCost, IsThatOfIterationsWhereAKindWasNotTried) {
  const IntervalRatios iteration =
      transfer_spread(data_sheet("h200"), data_sheet("h100-pcie"), "iteration");
  const IntervalRatios unheard =
      transfer_spread(data_sheet("h200"), data_sheet("h100-pcie"), "unheard");
  EXPECT_EQ(iteration.low, unheard.low);
  EXPECT_EQ(iteration.high, unheard.high);
  EXPECT_LT(iteration.low, 1);
  EXPECT_GT(iteration.high, 1);
}

TEST(TransferCost, IsLargerBetweenGenerations) {
  const IntervalRatios within = transfer_spread(data_sheet("h200"), data_sheet("h20"), "iteration");
  const IntervalRatios between =
      transfer_spread(data_sheet("h200"), data_sheet("b200"), "iteration");
  EXPECT_DOUBLE_EQ(std::log(between.low), 3 * std::log(within.low));
  EXPECT_DOUBLE_EQ(std::log(between.high), 3 * std::log(within.high));
}

TEST(TransferCost, AddsUpWithWhatWasCalibratedAsSquares) {
  const IntervalRatios wider =
      widened({std::exp(-0.03), std::exp(0.03), 20}, {std::exp(-0.04), std::exp(0.04), 0});
  EXPECT_NEAR(std::log(wider.low), -0.05, 1e-12);
  EXPECT_NEAR(std::log(wider.high), 0.05, 1e-12);
  EXPECT_EQ(wider.samples, 20);
  EXPECT_EQ(widened({0.9, 1.2, 20, 1.1}, {0.9, 1.1, 0}).median, 1.1);
}

TEST(TransferCost, NeverNarrowsAnInterval) {
  const IntervalRatios biased = widened({1.1, 1.3, 20}, {1.02, 1.2, 0});
  EXPECT_NEAR(biased.low, 1.1, 1e-12);
  EXPECT_GT(biased.high, 1.3);
}

TEST(TransferCost, IsLessWhereDeviceConstantsAreMeasured) {
  const DataSheet& from = data_sheet("h200");
  const DataSheet& to = data_sheet("h100-sxm");
  for (const char* kind : {"iteration", "persistent", "step"}) {
    const IntervalRatios estimated = transfer_spread(from, to, kind);
    const IntervalRatios in_part = transfer_spread(from, to, kind, Transfer::measured_in_part);
    EXPECT_LT(estimated.low, in_part.low) << kind;
    EXPECT_GT(estimated.high, in_part.high) << kind;
  }
}

}  // namespace
}  // namespace sparsecast
