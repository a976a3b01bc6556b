#include "model/network/sum_tree.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

void expect_steps(const SumSteps& steps, int same_host, int other_host) {
  EXPECT_EQ(steps.same_host, same_host);
  EXPECT_EQ(steps.other_host, other_host);
}

TEST(SumTree, HasAStepForEachBitOfARank) {
  expect_steps(steps_in_sum_tree(0, 4), 0, 0);
  expect_steps(steps_in_sum_tree(3, 4), 2, 0);
  expect_steps(steps_in_sum_tree(4, 4), 0, 1);
  expect_steps(steps_in_sum_tree(15, 4), 2, 2);
  // Ranks 4 and 5 share the second host, 3 and 2 do not share one.
  expect_steps(steps_in_sum_tree(5, 3), 1, 1);
  expect_steps(steps_in_sum_tree(3, 3), 1, 1);
}

TEST(SumTree, IsAsDeepAsRanksAndHostsDoubleWithinTheirNumber) {
  expect_steps(steps_of_sum(Transport::mpi, 8, 8), 3, 0);
  expect_steps(steps_of_sum(Transport::mpi, 64, 8), 3, 3);
  expect_steps(steps_of_sum(Transport::staged, 12, 4), 2, 1);
  expect_steps(steps_of_sum(Transport::staged, 7, 1), 0, 2);
  expect_steps(steps_of_sum(Transport::gpu_aware, 12, 4), 2, 1);
  expect_steps(steps_of_sum(Transport::mpi, 1, 1), 0, 0);
}

TEST(SumTree, OfNcclCountsTheLastDoublingInFull) {
  expect_steps(steps_of_sum(Transport::nccl, 64, 8), 3, 3);
  expect_steps(steps_of_sum(Transport::nccl, 12, 4), 2, 2);
  expect_steps(steps_of_sum(Transport::nccl, 5, 8), 3, 0);
}

}  // namespace
}  // namespace sparsecast
