#include "core/workload/persistent_steps.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(PersistentSteps, OfARowAreFewOrHalfMoreThanTheMeanRowTakes) {
  // 20 stored values a row, two lanes: 10 steps in the mean.
  EXPECT_EQ(most_steps_of_a_row(1, 20'000, 1000, 2, 200, 512), 15);
  EXPECT_EQ(most_steps_of_a_row(1, 2000, 1000, 2, 20, 512), few_steps_of_values);
  EXPECT_EQ(most_steps_of_a_row(3, 2000, 1000, 2, 20, 512), few_steps_of_blocks);
}

TEST(PersistentSteps, OfARowMayBeHalfOfWhatAThreadHasToDo) {
  EXPECT_EQ(most_steps_of_a_row(1, 2000, 1000, 1, 100 * 128, 128), 50);
}

TEST(PersistentSteps, AreMadeFewerByMoreLanesUpToAWarp) {
  EXPECT_EQ(lanes_of_row(8, 1, 8), 1);
  EXPECT_EQ(lanes_of_row(9, 1, 8), 2);
  EXPECT_EQ(lanes_of_row(9, 4, 8), 4);
  EXPECT_EQ(lanes_of_row(100'000, 1, 8), 32);
}

}  // namespace
}  // namespace sparsecast
