#include "predict/advice/best_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

Prediction timed(double seconds) {
  Prediction prediction;
  prediction.seconds_per_iteration = seconds;
  prediction.bytes_per_device = 1'500'000;
  return prediction;
}

TEST(BestChoice, IsTheFastestThatFitsAndTellsHowCloseTheSecondIs) {
  std::vector<Prediction> predictions{timed(3e-4), timed(1e-4), timed(2e-4), timed(2.2e-4)};
  predictions[1].fits = false;
  const BestChoice best = best_choice(predictions);
  EXPECT_EQ(best.index, 2u);
  ASSERT_EQ(best.others.size(), 2u);
  EXPECT_EQ(best.others[0].index, 3u);
  EXPECT_NEAR(best.others[0].margin, 0.1, 1e-12);
  EXPECT_FALSE(best.others[0].tie);
  EXPECT_EQ(best.others[1].index, 0u);
  EXPECT_NEAR(best.others[1].margin, 0.5, 1e-12);
}

TEST(BestChoice, CallsTiesTies) {
  std::vector<Prediction> predictions{timed(1.02e-4), timed(1e-4), timed(1.3e-4), timed(1.3e-4)};
  predictions[1].interval_seconds = Interval{0.7e-4, 1.4e-4};
  predictions[3].interval_seconds = Interval{0.9e-4, 1.8e-4};
  const BestChoice best = best_choice(predictions);
  EXPECT_EQ(best.index, 1u);
  // The first is within 3 %; the last two are 30 % apart, and only one has an interval that holds
  // the best's time.
  ASSERT_EQ(best.others.size(), 3u);
  for (const SlowerChoice& other : best.others)
    EXPECT_EQ(other.tie, other.index != 2) << other.index;
}

TEST(BestChoice, ComparesWholeSolvesWhereAllAreKnown) {
  std::vector<Prediction> predictions{timed(1e-4), timed(2e-4)};
  predictions[0].total_seconds = 0.5;
  EXPECT_EQ(best_choice(predictions).index, 0u);
  for (Prediction& prediction : predictions) {
    prediction.iterations = 10;
    prediction.conversion_seconds = 0.4;
    prediction.upload_seconds = 0;
  }
  predictions[1].total_seconds = 0.402;
  EXPECT_EQ(best_choice(predictions).index, 1u);
}

TEST(BestChoice, SaysWhatIsNeededWhereNothingFits) {
  std::vector<Prediction> predictions{timed(1e-4)};
  predictions[0].fits = false;
  predictions[0].memory_bytes = 1'000'000;
  try {
    best_choice(predictions);
    FAIL() << "chose what does not fit";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1.5 MB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1 MB"), std::string::npos) << error.what();
  }
  EXPECT_THROW(best_choice({}), Error);
}

}  // namespace
}  // namespace sparsecast
