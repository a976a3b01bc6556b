#include "predict/forecast/traffic/parallel_forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/traffic_profile.hpp"
#include "predict/validation/case_price.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

DeviceProfile linked_profile() {
  return testing::with_link(testing::made_up_traffic_profile());
}

std::vector<Prediction> predict_grid(const CsrMatrix<double>& grid, std::vector<int> devices,
                                     const DeviceProfile& profile) {
  PredictionRequest request;
  request.layouts = {Layout{}};
  request.devices = std::move(devices);
  return predict_matrix(grid.view(), compute_features(grid.view()), profile, request);
}

const Prediction& of_devices(const std::vector<Prediction>& all, int devices) {
  return *std::ranges::find(all, devices, &Prediction::devices);
}

TEST(ParallelForecast, OfTwoGpusHasSegmentsExchangeAndSums) {
  const auto all = predict_grid(laplacian(27, 60, 60, 60), {1, 2}, linked_profile());
  const Prediction& two = of_devices(all, 2);
  EXPECT_EQ(two.exchange, ExchangeMode::halo);
  EXPECT_EQ(two.launch, LaunchMode::graph);
  ASSERT_EQ(two.traffic->segments->size(), 2U);
  EXPECT_EQ(two.traffic->segments->at(0).received, 3600);
  EXPECT_DOUBLE_EQ(two.traffic->price.device_sum_seconds, 2 * 2e-6);
  EXPECT_GE(two.parts.exchange, 5e-6);
  EXPECT_NEAR(two.interval_seconds->high / two.seconds_per_iteration, 1.3, 1e-12);
  EXPECT_TRUE(two.warnings.empty());
  double fastest = 1;
  for (const Prediction& one : all) {
    if (one.devices == 1) fastest = std::min(fastest, one.seconds_per_iteration);
  }
  EXPECT_DOUBLE_EQ(two.speedup.value(), fastest / two.seconds_per_iteration);
  EXPECT_LT(two.bytes_per_device, of_devices(all, 1).bytes_per_device);
}

TEST(ParallelForecast, OfPartsThatCutFewCouplingsExchangesLess) {
  const CsrMatrix<double> grid = laplacian(7, 40, 40, 40);
  const CsrMatrix<double> mixed = renumber<double>(grid, random_permutation(grid.rows, 5));
  PredictionRequest request;
  request.layouts = {Layout{}};
  request.devices = {2};
  MatrixOrders orders(mixed, compute_features<double>(mixed), Renumbering::metis);
  const Prediction given = predict_grid(mixed, {2}, linked_profile()).front();
  const Prediction ordered = predict_matrix(orders, linked_profile(), request).front();
  EXPECT_EQ(ordered.renumbering, Renumbering::metis);
  EXPECT_LT(ordered.traffic->segments->front().received,
            0.2 * given.traffic->segments->front().received);
  EXPECT_LT(ordered.seconds_per_iteration, given.seconds_per_iteration);
}

TEST(ParallelForecast, OfANumberThatWasNotMeasuredSaysSoAndIsWider) {
  const auto all = predict_grid(laplacian(7, 50, 50, 50), {2, 4}, linked_profile());
  const Prediction& four = of_devices(all, 4);
  ASSERT_EQ(four.warnings.size(), 1U);
  EXPECT_TRUE(four.warnings.front().starts_with("extrapolated: ")) << four.warnings.front();
  const double together =
      four.traffic->price.exchange_seconds + four.traffic->price.device_sum_seconds;
  EXPECT_NEAR(four.interval_seconds->high, 1.3 * four.seconds_per_iteration + together, 1e-12);
  EXPECT_NEAR(four.interval_seconds->low, 0.75 * four.seconds_per_iteration, 1e-12);
}

/// How far the interval reaches beyond the forecast, in parts of it.
double relative_width(const Prediction& prediction) {
  return (prediction.interval_seconds->high - prediction.interval_seconds->low) /
         prediction.seconds_per_iteration;
}

TEST(ParallelForecast, OfMoreThanWasMeasuredIsWiderWhateverSizeTheirPartsHave) {
  DeviceProfile profile = linked_profile();
  auto& intervals = profile.links[2].costs->intervals;
  intervals["iteration/0"] = {0.99, 1.01, 50};
  intervals["iteration/1"] = {0.8, 1.4, 50};
  // Parts of more than 5 MB on two, of less on four.
  const CsrMatrix<double> grid = laplacian(7, 50, 50, 50);
  const auto exact = predict_grid(grid, {2, 4}, profile);
  EXPECT_GT(relative_width(of_devices(exact, 4)), relative_width(of_devices(exact, 2)));
  EXPECT_LE(of_devices(exact, 4).interval_seconds->low,
            0.8 * of_devices(exact, 4).seconds_per_iteration);
}

TEST(ParallelForecast, OfMoreThanWasMeasuredGuessesPatternsNoBetter) {
  DeviceProfile profile = linked_profile();
  LinkCosts& costs = *profile.links[2].costs;
  costs.sum_seconds.value = 1e-9;
  costs.exchanges[ExchangeMode::halo] = {{1e-9, 1e-10}, {1e6, 5}, {0.5, 0.1}};
  PredictionRequest request;
  request.devices = {2, 4};
  // Parts of more than 5 MB on two, of less on four.
  const auto guessed = predict_numbers(125'000, 860'000, {}, profile, request);
  EXPECT_GT(relative_width(of_devices(guessed, 4)), relative_width(of_devices(guessed, 2)));
}

TEST(ParallelForecast, OfFewerThanWereMeasuredIsWider) {
  DeviceProfile profile = linked_profile();
  profile.links[4] = profile.links.at(2);
  profile.links.erase(2);
  const auto all = predict_grid(laplacian(7, 50, 50, 50), {2, 4}, profile);
  EXPECT_GT(relative_width(of_devices(all, 2)), relative_width(of_devices(all, 4)));
}

TEST(ParallelForecast, OfMoreThanTheProfilesMachineHasSaysSo) {
  DeviceProfile profile = linked_profile();
  profile.device_count_max = 3;
  const auto all = predict_grid(laplacian(7, 20, 20, 20), {2, 4}, profile);
  EXPECT_TRUE(of_devices(all, 2).warnings.empty());
  ASSERT_EQ(of_devices(all, 4).warnings.size(), 2U);
  EXPECT_EQ(of_devices(all, 4).warnings.back(),
            "profile 'made-up' is of a machine with 3 devices; how 4 work together is not known");
}

TEST(ParallelForecast, LargeSystemsTakeTwoGpusAndSmallOnesOne) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const std::vector<DeviceProfile> profiles{linked_profile()};
  AdviceRequest request;
  request.max_devices = 2;
  const auto advised = [&](std::int64_t side) {
    const CsrMatrix<double> grid = laplacian(7, side, side, side);
    const Advice advice = advise(grid.view(), compute_features(grid.view()), profiles, request);
    return advice.choices[advice.recommended].prediction.devices;
  };
  EXPECT_EQ(advised(12), 1);
  EXPECT_EQ(advised(150), 2);
}

TEST(ParallelForecast, OfNumbersAloneIsNearThatOfTheGrid) {
  const DeviceProfile profile = linked_profile();
  const CsrMatrix<double> grid = laplacian(27, 80, 80, 80);
  const auto exact = predict_grid(grid, {2}, profile);
  PredictionRequest request;
  request.devices = {2};
  const auto guessed = predict_numbers(static_cast<double>(grid.rows),
                                       static_cast<double>(grid.nonzeros()), {}, profile, request);
  ASSERT_EQ(guessed.size(), 1U);
  EXPECT_TRUE(guessed.front().estimated_pattern);
  EXPECT_NEAR(guessed.front().seconds_per_iteration, exact.front().seconds_per_iteration,
              0.15 * exact.front().seconds_per_iteration);
  EXPECT_GT(guessed.front().interval_seconds->high / guessed.front().seconds_per_iteration, 1.1);
}

TEST(ParallelForecast, IsExplainedWithExchangeAndSums) {
  const auto all = predict_grid(laplacian(7, 40, 40, 40), {2}, linked_profile());
  const Explanation explanation = explain(all.front(), all);
  double seconds = 0;
  for (const ExplainedPart& part : explanation.parts) seconds += part.seconds;
  EXPECT_NEAR(seconds, all.front().seconds_per_iteration, 1e-12);
  for (const char* name : {"exchange", "sums over devices"}) {
    EXPECT_NE(std::ranges::find(explanation.parts, name, &ExplainedPart::name),
              explanation.parts.end())
        << name;
  }
}

TEST(ParallelForecast, IsWhatTheMapShows) {
  const DeviceProfile profile = linked_profile();
  MapRequest request;
  request.devices = 2;
  PredictionRequest wanted;
  wanted.devices = {2};
  const auto numbers = predict_numbers(1e6, 7e6, {}, profile, wanted);
  EXPECT_NEAR(map_value(profile, request, 1e6, 7e6), numbers.front().speedup.value(), 1e-9);
  request.columns = request.rows = 8;
  const PerformanceMap map = compute_map(profile, request);
  EXPECT_GT(map.largest, 1.2);
  EXPECT_LT(map.smallest, 0.9);
}

TEST(ParallelForecast, PricesMeasuredRowsAgain) {
  const DeviceProfile profile = linked_profile();
  const auto all = predict_grid(laplacian(7, 40, 40, 40), {2}, profile);
  ValidationRow row;
  row.devices = 2;
  row.schedule = "fused";
  row.launch = "graph";
  row.exchange = "halo";
  row.work = *all.front().traffic->segments;
  for (const SegmentWork& one : row.work) row.segments.push_back(one.shape);
  row.measured_seconds = 1e-4;
  std::vector<ValidationRow> rows{row};
  price_rows(rows, profile, "", CurveKind::average);
  EXPECT_DOUBLE_EQ(rows[0].predicted_seconds, all.front().seconds_per_iteration);
  ASSERT_TRUE(rows[0].interval_seconds.has_value());
}

TEST(ParallelForecast, NeedsCostsOfTheLink) {
  DeviceProfile profile = linked_profile();
  profile.links[2].costs.reset();
  EXPECT_THROW(predict_grid(laplacian(7, 8, 8, 8), {2}, profile), Error);
}

}  // namespace
}  // namespace sparsecast
