#include "model/traffic/kernel_ends.hpp"

#include <gtest/gtest.h>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

using Op = ScalarOperation;

/// A pair of passes with sums, these scalars between them.
Schedule with_scalars(const std::vector<ScalarAssignment>& assignments) {
  Schedule schedule = pass_pair_schedule(true);
  for (int k = 0; k < 10; ++k) schedule.scalars.push_back({"s" + std::to_string(k), 1});
  schedule.iteration.insert(schedule.iteration.begin() + 1, scalar_step(assignments));
  return schedule;
}

TEST(KernelEnds, CountKernelsAndTheirSums) {
  const auto expect = [](const char* name, int kernels, int unsummed, int operations,
                         int interpreted, int chain, int sums) {
    const KernelEnds ends =
        kernel_ends(pass_iteration_schedule(std::string("PassIteration/") + name));
    EXPECT_EQ(ends.kernels, kernels) << name;
    EXPECT_EQ(ends.unsummed, unsummed) << name;
    EXPECT_EQ(ends.operations, operations) << name;
    EXPECT_EQ(ends.interpreted, interpreted) << name;
    EXPECT_EQ(ends.chain, chain) << name;
    EXPECT_EQ(ends.further_sums, sums) << name;
    EXPECT_TRUE(ends.iteration) << name;
  };
  expect("pass", 1, 1, 1, 0, 1, 0);
  expect("sum", 1, 0, 1, 0, 1, 0);
  expect("cg", 3, 1, 2, 2, 3, 0);
  expect("cg-sums", 3, 1, 2, 2, 3, 3);
  expect("cg-chain", 3, 1, 26, 2, 26, 0);
  expect("cg-apart", 3, 1, 26, 2, 3, 0);
  expect("cg-product", 3, 1, 2, 26, 26, 0);
  const KernelEnds pair = kernel_ends(pass_pair_schedule(true));
  EXPECT_EQ(pair.kernels, 0);
  EXPECT_FALSE(pair.iteration);
}

TEST(KernelEnds, FollowChainsOfOperations) {
  const auto chain = [](const std::vector<ScalarAssignment>& assignments) {
    return kernel_ends(with_scalars(assignments)).chain;
  };
  EXPECT_EQ(chain({{4, Op::add, 5, 6}, {7, Op::add, 5, 6}}), 1);
  EXPECT_EQ(chain({{4, Op::add, 5, 6}, {7, Op::multiply, 4, 6}}), 2);
  // The second makes its operand anew.
  EXPECT_EQ(chain({{4, Op::add, 5, 6}, {4, Op::copy, 8}, {7, Op::multiply, 4, 6}}), 2);
}

TEST(KernelEnds, GoOnInTheNextIteration) {
  Schedule schedule = with_scalars({{4, Op::add, 5, 6}});
  schedule.iteration.push_back(scalar_step({{4, Op::add, 4, 6}}));
  // In front of the first kernel: behind the last.
  schedule.iteration.insert(schedule.iteration.begin(), scalar_step({{4, Op::multiply, 4, 6}}));
  const KernelEnds ends = kernel_ends(schedule);
  EXPECT_EQ(ends.kernels, 2);
  EXPECT_EQ(ends.chain, 1 + 2);
  EXPECT_EQ(ends.operations, 3);
  EXPECT_TRUE(ends.iteration);
}

TEST(KernelEnds, CountAPatternThatRepeatsOnce) {
  std::vector<ScalarAssignment> rotations;
  for (int k = 0; k < 8; ++k) {
    rotations.push_back({4, Op::multiply, 5, 6});
    rotations.push_back({7, Op::add, 4, 6});
    rotations.push_back({8, Op::divide, 7, 6});
  }
  const KernelEnds ends = kernel_ends(with_scalars(rotations));
  EXPECT_EQ(ends.operations, 8);  // known to repeat when the third round ends
  EXPECT_EQ(ends.chain, 3);
}

TEST(KernelEnds, LeaveOutWhatIsMostlySkippedAndWaitForGuards) {
  Schedule schedule = with_scalars({{4, Op::add, 5, 6}});
  Step guarded = scalar_step({{7, Op::add, 8, 9}});
  guarded.guard = ScalarTest{5, Comparison::less, 4};
  schedule.iteration.insert(schedule.iteration.begin() + 2, guarded);
  EXPECT_EQ(kernel_ends(schedule).chain, 1);
  EXPECT_EQ(kernel_ends(schedule).operations, 1);
  schedule.iteration[2].guard_mostly_holds = true;
  EXPECT_EQ(kernel_ends(schedule).chain, 2);
  EXPECT_EQ(kernel_ends(schedule).operations, 2);
}

}  // namespace
}  // namespace sparsecast
