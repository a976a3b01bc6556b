#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/prediction.hpp"
#include "predict/traffic_profile.hpp"
#include "sanitized.hpp"

namespace sparsecast::testing {
namespace {

std::vector<Prediction> predict(const CsrMatrix<double>& matrix, const PredictionRequest& request,
                                const DeviceProfile& profile = made_up_traffic_profile()) {
  return predict_matrix(matrix.view(), compute_features(matrix.view()), profile, request);
}

std::string text(const Prediction& prediction) {
  return to_string(prediction.layout) + ' ' + prediction.schedule + ' ' +
         std::string(to_string(prediction.launch.value()));
}

std::vector<std::string> texts(const std::vector<Prediction>& predictions) {
  std::vector<std::string> all;
  for (const Prediction& prediction : predictions) all.push_back(text(prediction));
  return all;
}

const CsrMatrix<double>& small_grid() {
  static const CsrMatrix<double> matrix = laplacian(7, 20, 20, 20);
  return matrix;
}

/// A GPU in whose shared memory there is no room for what a part of `scattered` looks up.
DeviceProfile small_gpu() {
  DeviceProfile profile = made_up_traffic_profile();
  profile.traffic->gpu.shared_bytes_per_block = 20'000;
  return profile;
}

const CsrMatrix<double>& scattered() {
  static const CsrMatrix<double> matrix = [] {
    RandomMatrixSpec spec;
    spec.rows = 300'000;
    spec.mean_row_length = 12;
    return random_matrix(spec);
  }();
  return matrix;
}

/// Larger than the cache.
const CsrMatrix<double>& large_grid() {
  static const CsrMatrix<double> matrix = laplacian(5, 1500, 1500);
  return matrix;
}

TEST(TrafficPrediction, IsOfAllBlocksThatTheProfileHasByGraphAndPersistently) {
  EXPECT_EQ(texts(predict(small_grid(), {})),
            (std::vector<std::string>{"csr fused graph", "csr fused persistent",
                                      "bcsr3 fused graph", "bcsr3 fused persistent"}));
}

TEST(TrafficPrediction, LeavesOutPersistentKernelsWhereThereAreNone) {
  EXPECT_EQ(texts(predict(scattered(), {}, small_gpu())),
            (std::vector<std::string>{"csr fused graph", "bcsr3 fused graph"}));
}

TEST(TrafficPrediction, OfLayoutsForComparisonsIsForWhoeverAsks) {
  const CsrMatrix<double> matrix = random_csr<double>(30'000, 30'000, 6, 1);
  for (const DeviceProfile& profile :
       {with_compared(made_up_traffic_profile()), with_compared(made_up_cpu_profile(2))}) {
    const std::vector<Prediction> usual = predict(matrix, {}, profile);
    for (const Layout& layout : compared_layouts()) {
      EXPECT_EQ(std::ranges::count(usual, layout, &Prediction::layout), 0) << to_string(layout);
      PredictionRequest request;
      request.layouts = {layout};
      const std::vector<Prediction> asked = predict(matrix, request, profile);
      ASSERT_EQ(asked.size(), 1U) << to_string(layout);
      EXPECT_EQ(asked.front().layout, layout);
      EXPECT_GT(asked.front().seconds_per_iteration, 1e-6);
      EXPECT_FALSE(explain(asked.front(), asked).parts.empty());
    }
  }
}

TEST(TrafficPrediction, OfAHybridIsOfTwoKernelsWhereItHasTwo) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  PredictionRequest request;
  request.layouts = {parse_layout("hyb")};
  const DeviceProfile profile = with_compared(made_up_traffic_profile());
  const auto kernels = [&](const CsrMatrix<double>& matrix) {
    return predict(matrix, request, profile).at(0).traffic->segment.parts.size();
  };
  EXPECT_EQ(kernels(large_grid()), 1U);
  EXPECT_EQ(kernels(power_law(300'000, 8, 2.1, 1)), 2U);
}

TEST(TrafficPrediction, OfALayoutForComparisonsThatIsNotStoredSaysWhy) {
  PredictionRequest request;
  request.layouts = {parse_layout("ell")};
  EXPECT_EQ(refusal_of([&] {
              predict(power_law(300'000, 8, 2.1, 1), request,
                      with_compared(made_up_traffic_profile()));
            }).find("layout ell"),
            0U);
}

TEST(TrafficPrediction, IsThePriceOfTheModelWithItsInterval) {
  PredictionRequest request;
  request.layouts = {block_layout(3)};
  request.launches = {LaunchMode::graph};
  const DeviceProfile profile = made_up_traffic_profile();
  const CsrMatrix<double>& matrix = small_grid();
  const Prediction found = predict(matrix, request).at(0);

  const Schedule schedule = fused_cg_schedule();
  const MatrixFeatures features = compute_features(matrix.view());
  const TrafficCase one = traffic_case(matrix, features, compute_access(matrix.view()),
                                       block_layout(3), Precision::f64, profile.traffic->gpu);
  const double seconds =
      TrafficPricer(schedule, LaunchMode::graph, one, profile.traffic->gpu, Precision::f64)
          .price(profile.traffic->parameters)
          .seconds;
  EXPECT_DOUBLE_EQ(found.seconds_per_iteration, seconds);
  ASSERT_TRUE(found.interval_seconds.has_value());
  EXPECT_DOUBLE_EQ(found.interval_seconds->low, 0.8 * seconds);
  EXPECT_DOUBLE_EQ(found.interval_seconds->high, 1.25 * seconds);
  EXPECT_EQ(found.model, "traffic");
  EXPECT_NEAR(found.parts.total(), seconds, 1e-9 * seconds);
}

TEST(TrafficPrediction, ComparesWithTheVendorsScheduleButNeverChoosesIt) {
  DeviceProfile profile = made_up_traffic_profile();
  profile.traffic->parameters.device.product_seconds = 1e-3;
  PredictionRequest request;
  request.schedules = {"fused", "vendor"};
  request.launches = {LaunchMode::graph};
  const auto predictions = predict(small_grid(), request, profile);

  EXPECT_EQ(texts(predictions),
            (std::vector<std::string>{"csr fused graph", "bcsr3 fused graph", "csr vendor graph"}));
  EXPECT_LT(predictions[2].seconds_per_iteration, predictions[0].seconds_per_iteration);
  EXPECT_TRUE(predictions[2].only_compared);
  const BestChoice best = best_choice(predictions);
  EXPECT_NE(best.index, 2u);
  EXPECT_TRUE(std::ranges::none_of(best.others,
                                   [](const SlowerChoice& other) { return other.index == 2; }));

  request.schedules = {"vendor"};
  EXPECT_EQ(best_choice(predict(small_grid(), request, profile)).index, 0u);
}

TEST(TrafficPrediction, SaysWhenNothingIsLeftToPredict) {
  PredictionRequest request;
  request.launches = {LaunchMode::persistent};
  EXPECT_THROW(predict(scattered(), request, small_gpu()), Error);
  request.launches = {};
  request.layouts = {block_layout(8)};
  EXPECT_THROW(predict(small_grid(), request), Error);
}

TEST(TrafficPrediction, OfSeveralGpusNeedsWhatTheyCostEachOther) {
  PredictionRequest request;
  request.devices = {2};
  EXPECT_THROW(predict(small_grid(), request), Error);
  DeviceProfile linked = made_up_traffic_profile();
  linked.links[2] = {};
  EXPECT_THROW(predict(small_grid(), request, linked), Error);
}

TEST(TrafficPrediction, OfOtherModelsKnowsOnlyAlgorithm1) {
  DeviceProfile profile = made_up_traffic_profile();
  profile.traffic.reset();
  PredictionRequest request;
  request.schedules = {"fused"};
  try {
    predict(small_grid(), request, profile);
    FAIL() << "priced a schedule that the model does not know";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("knows schedule algorithm1"), std::string::npos)
        << error.what();
  }
}

TEST(TrafficPrediction, FromNumbersIsNearThatOfTheMatrixAndLessSure) {
  PredictionRequest request;
  request.layouts = {block_layout(1)};
  request.launches = {LaunchMode::graph};
  const CsrMatrix<double>& matrix = large_grid();
  const Prediction exact = predict(matrix, request).at(0);
  const Prediction guessed =
      predict_numbers(static_cast<double>(matrix.rows), static_cast<double>(matrix.nonzeros()), {},
                      made_up_traffic_profile(), request)
          .at(0);

  EXPECT_FALSE(exact.estimated_pattern);
  EXPECT_TRUE(guessed.estimated_pattern);
  EXPECT_NEAR(guessed.seconds_per_iteration / exact.seconds_per_iteration, 1, 0.2);
  const auto width = [](const Prediction& prediction) {
    return (prediction.interval_seconds->high - prediction.interval_seconds->low) /
           prediction.seconds_per_iteration;
  };
  EXPECT_GT(width(guessed), width(exact));
}

TEST(TrafficPrediction, FromNumbersKnowsOfALongRow) {
  PredictionRequest request;
  request.launches = {LaunchMode::graph};
  const DeviceProfile profile = made_up_traffic_profile();
  const Prediction equal = predict_numbers(1e4, 1e5, {}, profile, request).at(0);
  const Prediction longer = predict_numbers(1e4, 1e5, {}, profile, request, {50, 5000}).at(0);
  EXPECT_GT(longer.seconds_per_iteration, equal.seconds_per_iteration);
}

TEST(TrafficPrediction, FromNumbersIsAsWideAsWhatTheyCostOnMostMatrices) {
  RandomMatrixSpec clustered;
  clustered.rows = 20'000;
  clustered.mean_row_length = 20;
  clustered.bandwidth_fraction = 0.2;
  clustered.mean_run_length = 3;
  std::vector<CsrMatrix<double>> matrices;
  matrices.push_back(laplacian(5, 300, 200));
  matrices.push_back(laplacian(9, 150, 150));
  matrices.push_back(laplacian(7, 30, 30, 30));
  matrices.push_back(laplacian(27, 20, 20, 20));
  matrices.push_back(fem_elasticity(1, 12, 7));
  matrices.push_back(random_matrix(clustered));
  matrices.push_back(trefethen(5000));
  PredictionRequest request;
  request.layouts = {block_layout(1)};
  const DeviceProfile profile = made_up_traffic_profile();
  int cases = 0;
  int covered = 0;
  for (const CsrMatrix<double>& matrix : matrices) {
    const auto guessed =
        predict_numbers(static_cast<double>(matrix.rows), static_cast<double>(matrix.nonzeros()),
                        {}, profile, request);
    for (const Prediction& own : predict(matrix, request)) {
      const auto guess = std::ranges::find(guessed, own.launch, &Prediction::launch);
      ASSERT_NE(guess, guessed.end());
      ++cases;
      const Interval interval = guess->interval_seconds.value();
      covered +=
          interval.low <= own.seconds_per_iteration && own.seconds_per_iteration <= interval.high
              ? 1
              : 0;
    }
  }
  EXPECT_EQ(cases, 14);
  EXPECT_GE(covered, 13);
}

/// Whose iterations as graphs, of any kind, took less than the terms.
DeviceProfile with_fast_iterations() {
  DeviceProfile profile = made_up_traffic_profile();
  Residual residual;
  const auto traits = static_cast<std::size_t>(IterationTrait::count);
  residual.mean.assign(traits, 0);
  residual.range.assign(traits, 1e6);
  residual.points = {{Traits(traits), -0.1}};
  profile.traffic->parameters.residuals[iterations_group(Layout{})] = residual;
  return profile;
}

TEST(Explanation, HasPartsThatAddUpToTheIteration) {
  PredictionRequest request;
  request.schedules = {"fused", "algorithm1", "vendor"};
  for (const DeviceProfile& profile : {made_up_traffic_profile(), with_fast_iterations()}) {
    const auto predictions = predict(small_grid(), request, profile);
    ASSERT_EQ(predictions.size(), 7u);
    for (const Prediction& prediction : predictions) {
      const Explanation explanation = explain(prediction, predictions);
      double sum = 0;
      for (const ExplainedPart& part : explanation.parts) {
        sum += part.seconds;
        EXPECT_LE(part.floor_seconds, part.seconds) << text(prediction) << ' ' << part.name;
      }
      EXPECT_NEAR(sum, prediction.seconds_per_iteration, 1e-15) << text(prediction);
      EXPECT_NEAR(prediction.parts.total(), prediction.seconds_per_iteration, 1e-15);
      EXPECT_FALSE(explanation.advice.empty());
    }
  }
}

TEST(Explanation, SaysWhatSimilarIterationsTookLess) {
  const auto predictions = predict(small_grid(), {}, with_fast_iterations());
  const auto graph = std::ranges::find(predictions, LaunchMode::graph, &Prediction::launch);
  ASSERT_NE(graph, predictions.end());
  const auto advice = explain(*graph, predictions).advice;
  EXPECT_TRUE(std::ranges::any_of(advice, [](const std::string& sentence) {
    return sentence.starts_with("products and iterations like this one took ") &&
           sentence.find(" less in the calibration") != std::string::npos;
  }));
}

TEST(Explanation, CountsTheBytesOfTheMatrixByKind) {
  PredictionRequest request;
  request.layouts = {block_layout(1)};
  const auto predictions = predict(large_grid(), request);
  const Explanation explanation = explain(predictions.at(0), predictions);
  const auto product = std::ranges::find(explanation.parts, "SpMVDot", &ExplainedPart::name);
  ASSERT_NE(product, explanation.parts.end());
  const auto nonzeros = static_cast<double>(large_grid().nonzeros());
  EXPECT_DOUBLE_EQ(product->bytes.values, 8 * nonzeros);
  EXPECT_DOUBLE_EQ(product->bytes.indices, 2 * nonzeros);  // 1500 columns away at most
  // The matrix is larger than the cache.
  EXPECT_GT(product->memory_bytes, 10 * nonzeros);
  EXPECT_GT(product->gathered_bytes, 0);
}

TEST(Explanation, SendsSmallSystemsToThePersistentKernel) {
  const auto predictions = predict(small_grid(), {});
  const Explanation explanation = explain(predictions.at(0), predictions);
  ASSERT_EQ(text(predictions[0]), "csr fused graph");
  EXPECT_EQ(explanation.bound, "launch");
  ASSERT_EQ(explanation.advice.size(), 3u);
  EXPECT_NE(explanation.advice[2].find("launch persistent takes"), std::string::npos);
}

TEST(Explanation, NamesWhatAPersistentKernelWaitsFor) {
  const auto predictions = predict(small_grid(), {});
  ASSERT_EQ(text(predictions.at(1)), "csr fused persistent");
  const Explanation explanation = explain(predictions[1], predictions);
  EXPECT_EQ(explanation.bound, "synchronisation");
}

/// Of the fused schedule as a graph.
Explanation explain_graph(const CsrMatrix<double>& matrix, int block,
                          const DeviceProfile& profile = made_up_traffic_profile()) {
  PredictionRequest request;
  request.layouts = {block_layout(block)};
  request.launches = {LaunchMode::graph};
  const auto predictions = predict(matrix, request, profile);
  return explain(predictions.at(0), predictions);
}

TEST(Explanation, SendsScatteredColumnsToRenumbering) {
  DeviceProfile profile = made_up_traffic_profile();
  profile.traffic->parameters.device.sector_seconds = 5e-11;
  const Explanation explanation = explain_graph(scattered(), 1, profile);
  EXPECT_EQ(explanation.bound, "gather");
  EXPECT_NE(explanation.advice.at(1).find("reverse Cuthill-McKee"), std::string::npos);
}

TEST(Explanation, NamesTheFullestMultiprocessor) {
  DeviceProfile profile = made_up_traffic_profile();
  profile.traffic->parameters.device.line_seconds = 1e-7;
  const Explanation explanation = explain_graph(scattered(), 1, profile);
  EXPECT_EQ(explanation.bound, "L1");
  EXPECT_NE(explanation.advice.at(0).find("fullest multiprocessor"), std::string::npos);
}

TEST(Explanation, NamesALongRow) {
  DeviceProfile profile = made_up_traffic_profile();
  profile.traffic->parameters.products.at("csr").pass_seconds = 1e-5;
  const Explanation explanation = explain_graph(arrow(50'000, 2), 1, profile);
  EXPECT_EQ(explanation.bound, "longest row");
  EXPECT_NE(explanation.advice.at(0).find("5e+04 stored blocks"), std::string::npos)
      << explanation.advice[0];
}

TEST(Explanation, SaysWhatMovesThroughMemory) {
  const Explanation explanation = explain_graph(large_grid(), 3);
  EXPECT_EQ(explanation.bound, "memory");
  EXPECT_NE(explanation.advice.at(1).find("precision f32"), std::string::npos);
  EXPECT_NE(explanation.advice[1].find("zeros that fill blocks"), std::string::npos)
      << explanation.advice[1];
}

TEST(Explanation, NamesWhatSharedMemoryDoesNotHold) {
  PredictionRequest request;
  request.layouts = {block_layout(1)};
  request.launches = {LaunchMode::persistent};
  const auto predictions = predict(large_grid(), request);
  const Explanation explanation = explain(predictions.at(0), predictions);
  EXPECT_EQ(explanation.bound, "spilling");
  EXPECT_GT(std::ranges::find(explanation.parts, "spilling", &ExplainedPart::bound)->cache_bytes,
            0);
}

TEST(Explanation, IsOfTheTrafficModelOnly) {
  EXPECT_THROW(explain(Prediction{}, {}), Error);
}

}  // namespace
}  // namespace sparsecast::testing
