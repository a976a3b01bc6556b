#include "core/cpu/cpu_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sparsecast {
namespace {

using enum Access;

PlannedStep kernel(std::vector<VectorSlot> vectors, std::vector<Access> accesses) {
  return {StepKind::kernel, std::nullopt, std::move(vectors), std::move(accesses), false, false};
}
PlannedStep multiply(VectorSlot input, VectorSlot output, Access output_access = write) {
  return {StepKind::kernel, std::nullopt, {input, output}, {gather, output_access}, true, false};
}
PlannedStep reduce(VectorSlot vector) {
  return {StepKind::reduce, std::nullopt, {vector}, {read}, false, false};
}
PlannedStep exchange(VectorSlot part, VectorSlot whole) {
  return {StepKind::exchange, std::nullopt, {part, whole}, {}, false, false};
}
PlannedStep scalars() {
  return {StepKind::host_scalar, std::nullopt, {}, {}, false, false};
}

int barriers(const std::vector<PlanItem>& items) {
  return static_cast<int>(std::ranges::count(items, true, &PlanItem::barrier_before));
}

TEST(CpuPlan, RunsStepsOnTheSameRowsTogether) {
  const std::vector<PlannedStep> steps{kernel({0, 1}, {read, write}), kernel({1, 2}, {read, write}),
                                       reduce(2)};
  const auto items = plan_steps(steps, true, false);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].first, 0);
  EXPECT_EQ(items[0].last, 3);
  EXPECT_EQ(barriers(items), 0);
}

TEST(CpuPlan, WaitsBeforeLookingUpWhatOthersWrote) {
  const std::vector<PlannedStep> steps{kernel({0, 1}, {read, write}), multiply(1, 2)};
  const auto items = plan_steps(steps, false, false);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_FALSE(items[0].barrier_before);
  EXPECT_TRUE(items[1].barrier_before);
}

TEST(CpuPlan, WaitsBeforeOverwritingWhatOthersLookUp) {
  const std::vector<PlannedStep> steps{multiply(1, 2), kernel({0, 1}, {read, write})};
  EXPECT_TRUE(plan_steps(steps, false, false)[1].barrier_before);
}

TEST(CpuPlan, WaitsAtTheBeginningForTheEndOfTheIterationBefore) {
  const std::vector<PlannedStep> steps{multiply(1, 2), kernel({0, 1}, {read, write})};
  EXPECT_FALSE(plan_steps(steps, false, false)[0].barrier_before);
  EXPECT_TRUE(plan_steps(steps, true, false)[0].barrier_before);
}

TEST(CpuPlan, NeedsNoBarrierAfterAReduction) {
  const std::vector<PlannedStep> steps{multiply(1, 2), reduce(2), scalars(),
                                       kernel({0, 1}, {read, write}), reduce(1)};
  EXPECT_EQ(barriers(plan_steps(steps, true, false)), 0);
}

TEST(CpuPlan, DoesNotCountOnAReductionThatAGuardMaySkip) {
  std::vector<PlannedStep> steps{multiply(1, 2), reduce(3), scalars(),
                                 kernel({0, 1}, {read, write})};
  steps[1].guard = ScalarTest{0, Comparison::less, 1};
  const auto items = plan_steps(steps, false, false);
  EXPECT_TRUE(items.back().barrier_before);
}

TEST(CpuPlan, MultipliesIntoRowsThatTheSameThreadGoesOnWith) {
  const std::vector<PlannedStep> steps{multiply(0, 1), kernel({1, 2}, {read, write}), reduce(2)};
  const auto items = plan_steps(steps, true, false);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].split, RowSplit::equal_elements);
}

TEST(CpuPlan, WaitsForAMultiplicationWithSortedRows) {
  const std::vector<PlannedStep> steps{multiply(0, 1, scatter), kernel({1, 2}, {read, write})};
  const auto items = plan_steps(steps, true, false);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_TRUE(items[1].barrier_before);
  EXPECT_TRUE(items[0].barrier_before);
  EXPECT_EQ(items[1].split, RowSplit::equal_rows);
}

TEST(CpuPlan, WaitsWhereRowsAreSharedOutDifferently) {
  const std::vector<PlannedStep> steps{multiply(0, 1), scalars(), kernel({1, 2}, {read, write})};
  const auto items = plan_steps(steps, false, false);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_TRUE(items[2].barrier_before);
}

TEST(CpuPlan, StepsWithDifferentGuardsRunApart) {
  std::vector<PlannedStep> steps{kernel({0, 1}, {read, write}), kernel({1, 2}, {read, write})};
  steps[1].guard = ScalarTest{0, Comparison::less, 1};
  EXPECT_EQ(plan_steps(steps, false, false).size(), 2u);
}

TEST(CpuPlan, AnExchangeMattersOnlyBetweenDevices) {
  const std::vector<PlannedStep> steps{exchange(0, 1), multiply(1, 2)};
  EXPECT_FALSE(plan_steps(steps, false, false)[1].barrier_before);
  EXPECT_TRUE(plan_steps(steps, false, true)[1].barrier_before);
}

TEST(CpuPlan, OneKernelAloneNeverWaits) {
  const std::vector<PlannedStep> steps{multiply(0, 1)};
  EXPECT_EQ(barriers(plan_steps(steps, true, false)), 0);
}

}  // namespace
}  // namespace sparsecast
