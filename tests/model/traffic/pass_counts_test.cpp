#include "model/traffic/pass_counts.hpp"

#include <gtest/gtest.h>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/diagonal_blocks.hpp"
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

TEST(PassCounts, CountKernelsAndTheirSums) {
  const auto expect = [](const char* name, int kernels, int unsummed, int operations,
                         int interpreted, int chain, int sums) {
    const PassCounts counts =
        pass_counts(pass_iteration_schedule(std::string("PassIteration/") + name));
    EXPECT_EQ(counts.kernels, kernels) << name;
    EXPECT_EQ(counts.unsummed, unsummed) << name;
    EXPECT_EQ(counts.operations, operations) << name;
    EXPECT_EQ(counts.interpreted, interpreted) << name;
    EXPECT_EQ(counts.chain, chain) << name;
    EXPECT_EQ(counts.further_sums, sums) << name;
    EXPECT_TRUE(counts.iteration) << name;
  };
  expect("pass", 1, 1, 1, 0, 1, 0);
  expect("sum", 1, 0, 1, 0, 1, 0);
  expect("cg", 3, 1, 2, 2, 3, 0);
  expect("cg-sums", 3, 1, 2, 2, 3, 3);
  expect("cg-chain", 3, 1, 26, 2, 26, 0);
  expect("cg-apart", 3, 1, 26, 2, 3, 0);
  expect("cg-product", 3, 1, 2, 26, 26, 0);
  expect("cg-guarded", 3, 1, 2, 2, 3, 0);
  expect("kernels", 10, 0, 11, 0, 10, 0);
  EXPECT_EQ(pass_counts(pass_iteration_schedule("PassIteration/cg")).guarded, 0);
  EXPECT_EQ(pass_counts(pass_iteration_schedule("PassIteration/cg-guarded")).guarded, 3);
  const PassCounts pair = pass_counts(pass_pair_schedule(true));
  EXPECT_EQ(pair.kernels, 0);
  EXPECT_FALSE(pair.iteration);
}

TEST(PassCounts, FetchInstructionsOfKernelsBeyondThoseThatStay) {
  EXPECT_EQ(pass_counts(pass_iteration_schedule("PassIteration/cg")).fetched, 0);
  Schedule kernels = pass_iteration_schedule("PassIteration/kernels");
  EXPECT_DOUBLE_EQ(pass_counts(kernels).fetched, 11 - 4);
  // The same again, with other scalars, is there.
  const std::vector<Step> iteration = kernels.iteration;
  for (Step step : iteration) {
    if (!step.pass) continue;
    for (PassStatement& statement : step.pass->statements) {
      for (PassTerm& term : statement.terms) {
        if (term.scalar >= 0) term.scalar = 2;
      }
    }
    kernels.iteration.push_back(step);
    kernels.iteration.push_back(scalar_step({{3, Op::add, 1, 2}}));
  }
  // But for the last one of the first ten, which had the check behind it.
  EXPECT_DOUBLE_EQ(pass_counts(kernels).fetched, 12 - 4);
  Schedule blocks = block_pass_schedule(true, 8);
  for (Step& step : block_pass_schedule(true, 30).iteration) blocks.iteration.push_back(step);
  for (int more = 0; more < 5; ++more) {
    for (Step step : pass_pair_schedule(false).iteration) {
      step.pass->statements[0].terms.resize(static_cast<std::size_t>(more) + 2,
                                            step.pass->statements[0].terms[1]);
      blocks.iteration.push_back(step);
    }
  }
  // Blocks of 8 and of 30 vectors are one kernel; ten passes without sums count two thirds.
  EXPECT_NEAR(pass_counts(blocks).fetched, 1 + 10 * 2.0 / 3 - 4, 1e-12);
}

TEST(PassCounts, FetchInstructionsOfProductsByDiagonalBlocksOnceEachSize) {
  Schedule kernels = pass_iteration_schedule("PassIteration/kernels");
  const double before = pass_counts(kernels).fetched;
  kernels.iteration.push_back(block_step({0, 1}, 2, 3, 0));
  kernels.iteration.push_back(block_step({0, 1}, 3, 2, 0));
  EXPECT_DOUBLE_EQ(pass_counts(kernels).fetched, before + 1);
  kernels.iteration.push_back(block_step({0, 1, 4}, 3, 2, 0));
  EXPECT_DOUBLE_EQ(pass_counts(kernels).fetched, before + 2);
}

TEST(PassCounts, FollowChainsOfOperations) {
  const auto chain = [](const std::vector<ScalarAssignment>& assignments) {
    return pass_counts(with_scalars(assignments)).chain;
  };
  EXPECT_EQ(chain({{4, Op::add, 5, 6}, {7, Op::add, 5, 6}}), 1);
  EXPECT_EQ(chain({{4, Op::add, 5, 6}, {7, Op::multiply, 4, 6}}), 2);
  // The second makes its operand anew.
  EXPECT_EQ(chain({{4, Op::add, 5, 6}, {4, Op::copy, 8}, {7, Op::multiply, 4, 6}}), 2);
}

TEST(PassCounts, GoOnInTheNextIteration) {
  Schedule schedule = with_scalars({{4, Op::add, 5, 6}});
  schedule.iteration.push_back(scalar_step({{4, Op::add, 4, 6}}));
  // In front of the first kernel: behind the last.
  schedule.iteration.insert(schedule.iteration.begin(), scalar_step({{4, Op::multiply, 4, 6}}));
  const PassCounts counts = pass_counts(schedule);
  EXPECT_EQ(counts.kernels, 2);
  EXPECT_EQ(counts.chain, 1 + 2);
  EXPECT_EQ(counts.operations, 3);
  EXPECT_TRUE(counts.iteration);
}

TEST(PassCounts, CountAPatternThatRepeatsOnce) {
  std::vector<ScalarAssignment> rotations;
  for (int k = 0; k < 8; ++k) {
    rotations.push_back({4, Op::multiply, 5, 6});
    rotations.push_back({7, Op::add, 4, 6});
    rotations.push_back({8, Op::divide, 7, 6});
  }
  const PassCounts counts = pass_counts(with_scalars(rotations));
  EXPECT_EQ(counts.operations, 8);  // known to repeat when the third round ends
  EXPECT_EQ(counts.chain, 3);
}

TEST(PassCounts, LeaveOutWhatIsMostlySkippedAndWaitForGuards) {
  Schedule schedule = with_scalars({{4, Op::add, 5, 6}});
  Step guarded = scalar_step({{7, Op::add, 8, 9}});
  guarded.guard = ScalarTest{5, Comparison::less, 4};
  schedule.iteration.insert(schedule.iteration.begin() + 2, guarded);
  EXPECT_EQ(pass_counts(schedule).chain, 1);
  EXPECT_EQ(pass_counts(schedule).operations, 1);
  schedule.iteration[2].guard_mostly_holds = true;
  EXPECT_EQ(pass_counts(schedule).chain, 2);
  EXPECT_EQ(pass_counts(schedule).operations, 2);
}

}  // namespace
}  // namespace sparsecast
