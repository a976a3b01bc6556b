#include "predict/advice/time_difference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/matrix/generate/generators.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/traffic_profile.hpp"

namespace sparsecast {
namespace {

double sum(const std::vector<TimeDifference>& differences) {
  double seconds = 0;
  for (const TimeDifference& each : differences) seconds += each.seconds;
  return seconds;
}

/// A forecast whose only step waits for memory, then for gathers, which do not overlap.
Prediction of_step(double memory_seconds, double gather_seconds) {
  StepPrice step;
  step.fixed_seconds = 1e-6;
  step.memory_seconds = memory_seconds;
  step.memory_bytes = 1e12 * memory_seconds;
  step.gather_seconds = gather_seconds;
  step.gathered_bytes = 1e12 * gather_seconds;
  step.seconds = step.fixed_seconds + memory_seconds + gather_seconds;
  Prediction prediction;
  prediction.traffic.emplace();
  prediction.traffic->price.steps = {step};
  prediction.traffic->price.seconds = prediction.seconds_per_iteration = step.seconds;
  return prediction;
}

TEST(TimeDifference, NamesTheTermsThatDifferAndHowManyTimesTheBytes) {
  const auto found = time_differences(of_step(2e-6, 3e-6), of_step(4e-6, 2e-6));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].part, "bytes from and to memory");
  EXPECT_NEAR(found[0].seconds, -2e-6, 1e-15);
  EXPECT_NEAR(found[0].amount_ratio.value(), 0.5, 1e-12);
  EXPECT_EQ(found[1].part, "gathers");
  EXPECT_NEAR(found[1].seconds, 1e-6, 1e-15);
  EXPECT_NEAR(found[1].amount_ratio.value(), 1.5, 1e-12);
}

TEST(TimeDifference, KeepsWhatSimilarIterationsTookApart) {
  Prediction one = of_step(2e-6, 3e-6);
  const Prediction other = one;
  TrafficPrice& price = one.traffic->price;
  price.residual_seconds = 0.1 * price.seconds;
  price.seconds *= 1.1;
  price.steps[0].seconds *= 1.1;
  const auto found = time_differences(one, other);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].part, "what similar cases took beside the model's terms");
  EXPECT_NEAR(found[0].seconds, 0.6e-6, 1e-15);
  EXPECT_NEAR(sum(found), found[0].seconds, 1e-15);
}

TEST(TimeDifference, AddsUpToWhatAnIterationTakesMore) {
  const CsrMatrix<double> matrix = laplacian(7, 20, 20, 20);
  const auto predictions = predict_matrix(matrix.view(), compute_features(matrix.view()),
                                          testing::made_up_traffic_profile(), {});
  ASSERT_EQ(predictions.size(), 4u);  // of csr and bcsr3, by graph and in one kernel
  for (const Prediction& one : predictions) {
    for (const Prediction& other : predictions) {
      EXPECT_NEAR(sum(time_differences(one, other)),
                  one.seconds_per_iteration - other.seconds_per_iteration, 1e-15);
    }
  }
}

TEST(TimeDifference, SpreadsSetupOverTheIterationsOfASolve) {
  const auto solve = [](double conversion) {
    Prediction prediction = of_step(2e-6, 3e-6);
    prediction.iterations = 100;
    prediction.conversion_seconds = conversion;
    prediction.upload_seconds = 1e-3;
    prediction.total_seconds = conversion + 1e-3 + 100 * prediction.seconds_per_iteration;
    return prediction;
  };
  const auto found = time_differences(solve(3e-3), solve(1e-3));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].part, "conversion");
  EXPECT_NEAR(found[0].seconds, 2e-5, 1e-15);
}

}  // namespace
}  // namespace sparsecast
