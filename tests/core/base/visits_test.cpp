#include "core/base/visits.hpp"

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

struct Result {
  double seconds = 0;
  int visits = 1;
  double second_seconds = 0;
  double error = 0;
};

void keep(Result& kept, Result other) {
  keep_fastest(kept, other, &Result::seconds, &Result::error);
}

TEST(Visits, KeepTheFastestAndTheSecondFastestOfResults) {
  Result kept{3};
  EXPECT_EQ(disagreement(kept, &Result::seconds), 0);

  keep(kept, {5});
  EXPECT_EQ(kept.seconds, 3);
  EXPECT_EQ(kept.second_seconds, 5);

  keep(kept, {2});
  EXPECT_EQ(kept.seconds, 2);
  EXPECT_EQ(kept.second_seconds, 3);
  EXPECT_EQ(kept.visits, 3);
  EXPECT_DOUBLE_EQ(disagreement(kept, &Result::seconds), 0.5);
}

TEST(Visits, KeepTheFastestTwoOfResultsThatWereVisitedBefore) {
  Result kept{2, 2, 7};
  keep(kept, {1, 3, 1.5});
  EXPECT_EQ(kept.seconds, 1);
  EXPECT_EQ(kept.second_seconds, 1.5);
  EXPECT_EQ(kept.visits, 5);

  keep(kept, {1.25, 2, 9});
  EXPECT_EQ(kept.second_seconds, 1.25);
  EXPECT_EQ(kept.visits, 7);
}

TEST(Visits, DoNotCountWhereTheyAreUncertainBesideThoseThatAreNot) {
  Result kept{3, 2, 3.1};
  keep(kept, {1, 1, 0, 0.5});
  EXPECT_EQ(kept.seconds, 3);
  EXPECT_EQ(kept.visits, 2);

  Result uncertain{1, 1, 0, 0.5};
  keep(uncertain, {2, 1, 0, 0.4});
  EXPECT_EQ(uncertain.seconds, 1);
  EXPECT_EQ(uncertain.visits, 2);
  keep(uncertain, {3, 2, 3.1});
  EXPECT_EQ(uncertain.seconds, 3);
  EXPECT_EQ(uncertain.second_seconds, 3.1);
  EXPECT_EQ(uncertain.visits, 2);
}

TEST(Visits, ListWhatRunsSayDifferentlyOfThemselves) {
  std::map<std::string, std::string> about{{"date", "Monday"}, {"compiler", "GCC 12"}};

  add_run(about, {{"date", "Friday"}, {"compiler", "GCC 12"}, {"driver", "5"}});
  add_run(about, {{"date", "Monday"}});

  EXPECT_EQ(
      about,
      (std::map<std::string, std::string>{
          {"date", "Monday; Friday"}, {"compiler", "GCC 12"}, {"driver", "5"}, {"runs", "3"}}));
}

TEST(Visits, CountRunsOfWhatIsSeveralRunsAlready) {
  std::map<std::string, std::string> about{{"runs", "2"}};

  add_run(about, {{"runs", "3"}});

  EXPECT_EQ(about.at("runs"), "5");
}

}  // namespace
}  // namespace sparsecast
