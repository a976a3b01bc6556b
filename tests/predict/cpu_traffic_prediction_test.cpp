#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/traffic_profile.hpp"
#include "predict/validation/case_price.hpp"

namespace sparsecast {
namespace {

const CsrMatrix<double>& grid() {
  static const CsrMatrix<double> matrix = laplacian(7, 20, 20, 20);
  return matrix;
}

std::vector<Prediction> predict(const PredictionRequest& request, int threads = 2) {
  return predict_matrix(grid().view(), compute_features(grid().view()),
                        testing::made_up_cpu_profile(threads), request);
}

TEST(CpuTrafficPrediction, PricesTheFusedScheduleInLayoutsThatTheProfileKnows) {
  const std::vector<Prediction> predictions = predict({});
  ASSERT_EQ(predictions.size(), 1U);  // only CSR was calibrated
  const Prediction& prediction = predictions.front();
  EXPECT_EQ(prediction.model, "traffic");
  EXPECT_EQ(prediction.schedule, "fused");
  EXPECT_FALSE(prediction.launch);
  ASSERT_TRUE(prediction.interval_seconds);
  const Schedule schedule = fused_cg_schedule();
  const TrafficCase one = cpu_traffic_case(
      compute_features(grid().view()), compute_access(grid().view()), Layout{}, Precision::f64, 2);
  EXPECT_DOUBLE_EQ(prediction.seconds_per_iteration,
                   TrafficPricer(schedule, LaunchMode::graph, one, {}, Precision::f64)
                       .price(example_cpu_parameters())
                       .seconds);
  EXPECT_NEAR(prediction.parts.total(), prediction.seconds_per_iteration, 1e-12);
  EXPECT_NEAR(prediction.parts.synchronisation, 3 * 5e-7 + 5 * 5e-9, 2e-8);
}

TEST(CpuTrafficPrediction, TakesAsManyThreadsAsTheBackEndWould) {
  const MatrixFeatures features = compute_features(grid().view());
  const MatrixAccess access = compute_access(grid().view());
  for (const int available : {1, 4, 64}) {
    const TrafficCase one = cpu_traffic_case(features, access, Layout{}, Precision::f64, available);
    EXPECT_EQ(one.cpu->threads, CpuPolicy{}.threads(one.shape, available));
  }
}

TEST(CpuTrafficPrediction, ExplainsInWordsForACpu) {
  PredictionRequest request;
  request.schedules = {"algorithm1"};
  const std::vector<Prediction> predictions = predict(request);
  const Explanation explanation = explain(predictions.front(), predictions);
  double seconds = 0;
  for (const ExplainedPart& part : explanation.parts) seconds += part.seconds;
  EXPECT_NEAR(seconds, predictions.front().seconds_per_iteration, 1e-12);
  for (const std::string& advice : explanation.advice) {
    for (const char* word : {"GPU", "multiprocessor", "thread block"}) {
      EXPECT_EQ(advice.find(word), std::string::npos) << advice;
    }
  }
}

TEST(CpuTrafficPrediction, PricesFromNumbersAlone) {
  const std::vector<Prediction> predictions =
      predict_numbers(8000, 53'600, {}, testing::made_up_cpu_profile(2), PredictionRequest{});
  ASSERT_EQ(predictions.size(), 1U);
  EXPECT_TRUE(predictions.front().estimated_pattern);
  EXPECT_NEAR(predictions.front().seconds_per_iteration / predict({}).front().seconds_per_iteration,
              1, 0.5);
}

TEST(CpuTrafficPrediction, MapsHoldTheSameForecast) {
  const DeviceProfile profile = testing::made_up_cpu_profile(2);
  MapRequest request;
  request.quantity = MapQuantity::raw;
  request.devices = 1;
  request.columns = request.rows = 2;
  request.unknowns_min = 8000;
  request.unknowns_max = 16'000;
  request.elements_min = 53'600;
  request.elements_max = 107'200;
  const PerformanceMap map = compute_map(profile, request);
  const Prediction prediction =
      predict_numbers(8000, 53'600, {}, profile, PredictionRequest{}).front();
  EXPECT_NEAR(map.value(0, 0), prediction.raw_gflops, 1e-9 * prediction.raw_gflops);
}

TEST(CpuTrafficPrediction, RefusesLaunchModesAndSeveralDevices) {
  PredictionRequest launches;
  launches.launches = {LaunchMode::graph};
  EXPECT_THROW(predict(launches), Error);
  PredictionRequest devices;
  devices.devices = {2};
  try {
    predict(devices);
    FAIL() << "one device is all there is";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is of a CPU"), std::string::npos) << error.what();
  }
}

TEST(CpuTrafficPrediction, PricesMeasuredCasesWithoutAnExecution) {
  const MatrixFeatures features = compute_features(grid().view());
  ValidationRow row;
  row.matrix = row.pattern = "grid";
  row.unknowns = features.rows;
  row.nonzeros = row.block_elements = features.nonzeros;
  row.schedule = "fused";
  row.segments = {features.shape(Layout{})};
  row.access = compute_access(grid().view()).pattern(Layout{}, Precision::f64);
  row.measured_seconds = 1e-5;
  price_rows(std::span(&row, 1), testing::made_up_cpu_profile(2), "", CurveKind::average);
  EXPECT_DOUBLE_EQ(row.predicted_seconds, predict({}).front().seconds_per_iteration);
  EXPECT_TRUE(row.interval_seconds);
}

}  // namespace
}  // namespace sparsecast
