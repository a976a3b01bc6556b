#include "core/visits.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Visits, ConfirmNothingTheFirstTime) {
  Visits visits;
  EXPECT_FALSE(visits.confirmed("a"));
  EXPECT_FALSE(visits.knows("a"));
  visits.add("a", 1.0);
  EXPECT_TRUE(visits.knows("a"));
  EXPECT_FALSE(visits.confirmed("a"));
}

TEST(Visits, ConfirmTimesThatAgree) {
  Visits visits;
  visits.add("a", 1.04);
  visits.add("b", 1.0);
  visits.add("a", 1.0);
  visits.add("b", 1.06);
  EXPECT_TRUE(visits.confirmed("a"));
  EXPECT_FALSE(visits.confirmed("b"));
}

TEST(Visits, ForgetSlowTimesHoweverOftenTheyAgree) {
  Visits visits;
  visits.add("a", 2.0);
  visits.add("a", 1.0);
  visits.add("a", 2.0);
  EXPECT_FALSE(visits.confirmed("a"));
  visits.add("a", 0.99);
  EXPECT_TRUE(visits.confirmed("a"));
}

}  // namespace
}  // namespace sparsecast
