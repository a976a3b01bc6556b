#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/engine/own_solver.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/prediction.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

PredictionRequest request_for(const std::string& name, double host_call_seconds = 20e-6) {
  Method method = shipped_method(name);
  method.execution->host_call_seconds = host_call_seconds;
  PredictionRequest request;
  request.own = {OwnSolver(method, {}).priced()};
  request.schedules = {name};
  return request;
}

std::vector<Prediction> predict(const CsrMatrix<double>& matrix, const PredictionRequest& request) {
  return predict_matrix(matrix.view(), compute_features(matrix.view()), read_profile("nvidia-h200"),
                        request);
}

TEST(LibraryPrediction, IsOneInCsrLaunchedCallByCall) {
  const auto predictions = predict(laplacian(5, 100, 100), request_for("cupy-cg"));
  ASSERT_EQ(predictions.size(), 1u);
  const Prediction& one = predictions.front();
  EXPECT_EQ(one.layout, Layout{});
  EXPECT_EQ(one.launch, LaunchMode::plain);
  ASSERT_TRUE(one.library);
  EXPECT_EQ(one.library->library, "CuPy 14");
  EXPECT_EQ(one.library->calls, (LibraryCalls{13, 1}));
  // Nobody has calibrated it.
  EXPECT_FALSE(one.interval_seconds);
  EXPECT_TRUE(one.warnings.empty());
}

TEST(LibraryPrediction, OfASmallSystemIsTheHostsTime) {
  const CsrMatrix<double> matrix = laplacian(5, 100, 100);
  for (const double host_call : {10e-6, 40e-6}) {
    const Prediction one = predict(matrix, request_for("cupy-cg", host_call)).front();
    EXPECT_NEAR(one.seconds_per_iteration / (14 * host_call), 1, 0.05);
  }
}

TEST(LibraryPrediction, OfALargeSystemIsTheGpusAndACallBehindEachWait) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  const CsrMatrix<double> matrix = laplacian(5, 2000, 2000);
  const Prediction slow = predict(matrix, request_for("cupy-cg", 4e-6)).front();
  const Prediction fast = predict(matrix, request_for("cupy-cg", 0)).front();
  EXPECT_NEAR(slow.seconds_per_iteration - fast.seconds_per_iteration, 8e-6, 1e-9);
  const double kernels = fast.traffic->price.seconds - fast.traffic->price.launch_seconds;
  EXPECT_NEAR(fast.seconds_per_iteration, kernels, 1e-9);
}

TEST(LibraryPrediction, SaysWhatNobodyHasHeldAgainstTheLibrary) {
  const CsrMatrix<double> matrix = laplacian(5, 100, 100);
  for (const char* name : {"petsc-cg", "ginkgo-cg"}) {
    const Prediction one = predict(matrix, request_for(name)).front();
    ASSERT_EQ(one.warnings.size(), 1u) << name;
    EXPECT_NE(one.warnings.front().find("nobody has held forecasts against"), std::string::npos);
  }
}

TEST(LibraryPrediction, IsNoneInOtherLayoutsAndOnSeveralGpus) {
  const CsrMatrix<double> matrix = laplacian(5, 100, 100);
  PredictionRequest request = request_for("cupy-cg");
  request.layouts = {block_layout(3)};
  EXPECT_NE(refusal_of([&] { predict(matrix, request); }).find("nothing to predict"),
            std::string::npos);
  request.layouts = {};
  request.devices = {2};
  EXPECT_NE(refusal_of([&] { predict(matrix, request); }).find("nothing to predict"),
            std::string::npos);
}

TEST(LibraryPrediction, StandsBesideOursWithoutBeingTheBestChoice) {
  PredictionRequest request = request_for("cupy-cg");
  request.own.push_back(OwnSolver(shipped_method("cg"), {}).priced());
  request.schedules.emplace_back("cg");
  request.layouts = {Layout{}};
  for (const Prediction& each : predict(laplacian(5, 100, 100), request)) {
    EXPECT_EQ(each.only_compared, each.library.has_value()) << each.schedule;
  }
}

}  // namespace
}  // namespace sparsecast
