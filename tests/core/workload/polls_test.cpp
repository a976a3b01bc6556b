#include "core/workload/polls.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Polls, ComeAfterWholeGraphs) {
  const CudaPolicy policy;
  EXPECT_EQ(iterations_of_graph(policy, 3), 8);
  EXPECT_EQ(iterations_between_polls(policy, 3, 8), 16);
  // 128 launches, of seven each: 18 iterations; 16 are the most.
  EXPECT_EQ(iterations_between_polls(policy, 7, iterations_of_graph(policy, 7)), 16);
  // Of 20 launches each six fit, and so are in a graph.
  EXPECT_EQ(iterations_of_graph(policy, 20), 6);
  EXPECT_EQ(iterations_between_polls(policy, 20, 6), 6);
  EXPECT_EQ(iterations_between_polls(policy, 10, 8), 8);  // not 12, a graph and a half
}

TEST(Polls, OfALongIterationComeAfterEach) {
  const CudaPolicy policy;
  EXPECT_EQ(iterations_of_graph(policy, 200), 1);
  EXPECT_EQ(iterations_between_polls(policy, 200, 1), 1);
  EXPECT_EQ(iterations_of_graph(policy, 0), 8);
}

TEST(Polls, AreTwoLooksBehind) {
  EXPECT_EQ(launched_iterations(1, 16), 32);
  EXPECT_EQ(launched_iterations(16, 16), 32);
  EXPECT_EQ(launched_iterations(17, 16), 48);
  EXPECT_EQ(launched_iterations(5, 1), 6);
}

}  // namespace
}  // namespace sparsecast
