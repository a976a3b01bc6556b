#include "predict/counted_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/engine/own_solver.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/features/features_file.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/prediction_request.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

IterationCount counted(const std::string& solver, std::int64_t iterations) {
  IterationCount count;
  count.solver = solver;
  count.tolerance = 1e-8;
  count.right_hand_side = "ones";
  count.outcome = Outcome::converged;
  count.iterations = iterations;
  count.amount = static_cast<double>(iterations);
  count.fewest = 0.9 * count.amount;
  count.most = 1.2 * count.amount;
  count.runs = count.converged = 4;
  return count;
}

/// Of kernels that are compiled for a schedule.
double idle_kernel_seconds(const TrafficParameters& parameters) {
  return parameters.kernels.at("pass").fixed_seconds + parameters.passes.value().end_seconds;
}

/// What the run of so many iterations of so many kernels takes besides them: by graph those that
/// are launched before the host has seen the end, 16 iterations at a time.
double ending(const Prediction& one, const std::string& profile_name, int kernels) {
  const DeviceProfile profile = read_profile(profile_name);
  const TrafficParameters& parameters = profile.traffic->parameters;
  if (!one.launch) return 0;
  if (one.launch == LaunchMode::persistent) return 2 * parameters.device.wait_seconds;
  const auto idle = static_cast<double>((one.iterations + 15) / 16 * 16 + 16 - one.iterations);
  return idle * kernels * idle_kernel_seconds(parameters);
}

/// Of a grid in CSR by a solver or two, whose counts are given.
class TimeToSolution : public ::testing::Test {
 protected:
  TimeToSolution() : matrix_(laplacian(5, 100, 100)), features_(compute_features(matrix_.view())) {}

  std::vector<Prediction> predict(const std::vector<CountedSolver>& solvers,
                                  const std::string& profile = "nvidia-h200",
                                  const std::vector<LaunchMode>& launches = {}) const {
    PredictionRequest request;
    request.layouts = {Layout{}};
    request.launches = launches;
    ask_for_solution(solvers, request);
    return predict_matrix(matrix_.view(), features_, read_profile(profile), request);
  }

  CsrMatrix<double> matrix_;
  MatrixFeatures features_;
};

TEST_F(TimeToSolution, HoldsWhatTheHostTakesForThePreconditioner) {
  const auto with = [&](const char* preconditioner) {
    const Method method =
        with_preconditioner(shipped_method("cg"), parse_preconditioner(preconditioner));
    IterationCount count = counted(method.name, 50);
    return predict({counted_solver(count, method)}).at(0);
  };
  const Prediction three = with("block-jacobi3");
  const Prediction four = with("block-jacobi4");
  EXPECT_LT(*four.start_seconds, 0.01);
  EXPECT_GT(*three.start_seconds, *with("jacobi").start_seconds + 20e-9 * 10'000);
  EXPECT_GT(*four.start_seconds, *three.start_seconds);
}

TEST_F(TimeToSolution, UploadsThePreconditionersVectors) {
  const auto upload_of = [&](const char* preconditioner) {
    const Method method =
        with_preconditioner(shipped_method("cg"), parse_preconditioner(preconditioner));
    IterationCount count = counted(method.name, 50);
    return *predict({counted_solver(count, method)}).at(0).upload_seconds;
  };
  const double vector = read_profile("nvidia-h200").seconds_of_vector_upload(8.0 * 10'000);
  EXPECT_NEAR(upload_of("jacobi"), upload_of("none") + vector, 1e-12);
  EXPECT_NEAR(upload_of("block-jacobi4"), upload_of("none") + 4 * vector, 1e-12);
}

TEST_F(TimeToSolution, IsSetupStartAndIterations) {
  for (const char* profile : {"nvidia-h200", "nvidia-h100", "amd-epyc-zen4-2cores"}) {
    SCOPED_TRACE(profile);
    const auto predictions =
        predict({counted_solver(counted("bicgstab", 50), shipped_method("bicgstab"))}, profile);
    ASSERT_FALSE(predictions.empty());
    for (const Prediction& each : predictions) {
      EXPECT_EQ(each.schedule, "bicgstab");
      EXPECT_EQ(each.iterations, 53);  // the middle of 45 and 60
      ASSERT_TRUE(each.start_seconds && each.iterations_seconds && each.total_seconds);
      // A product and a pass, of two and four.
      EXPECT_GT(*each.start_seconds, 0.1 * each.seconds_per_iteration);
      // Beside finding the diagonal.
      EXPECT_LT(*each.start_seconds, each.seconds_per_iteration + 1.4e-4);
      EXPECT_NEAR(
          *each.iterations_seconds,
          *each.start_seconds + 52.5 * each.seconds_per_iteration + ending(each, profile, 8),
          1e-12);
      EXPECT_NEAR(*each.total_seconds,
                  *each.conversion_seconds + *each.upload_seconds + *each.iterations_seconds,
                  1e-12);
    }
  }
}

TEST_F(TimeToSolution, OfOursHasTheCountInEveryLaunchMode) {
  const auto predictions = predict({counted_solver(counted("fused", 300))});
  ASSERT_EQ(predictions.size(), 2u);  // by graph and persistent
  for (const Prediction& each : predictions) {
    EXPECT_EQ(each.count->iterations, 300);
    EXPECT_GT(each.start_seconds.value_or(0), 0);
  }
}

TEST_F(TimeToSolution, TakesTheLastCycleByItsSteps) {
  IterationCount count = counted("gmres", 3);
  count.fewest = count.most = count.amount;
  count.cycle_steps = 30;
  const auto whole = predict({counted_solver(count, shipped_method("gmres"))}).front();
  count.cycle_steps = 6;
  count.fewest = count.most = count.amount = 2.2;
  const auto less = predict({counted_solver(count, shipped_method("gmres"))}).front();
  // The host is a cycle ahead of what it sees.
  const double ended =
      *whole.iterations_seconds - *whole.start_seconds - 3 * whole.seconds_per_iteration;
  const double kernels =
      ended / idle_kernel_seconds(read_profile("nvidia-h200").traffic->parameters);
  EXPECT_NEAR(kernels, std::round(kernels), 1e-6);
  EXPECT_GT(kernels, 90);
  EXPECT_LT(ended, 0.7 * whole.seconds_per_iteration);
  const double last =
      *less.iterations_seconds - *less.start_seconds - 2 * less.seconds_per_iteration - ended;
  // Early steps have fewer vectors to be orthogonal to; a cycle's own start stays.
  EXPECT_GT(last, 0.05 * less.seconds_per_iteration);
  EXPECT_LT(last, 0.3 * less.seconds_per_iteration);

  // Others are expected to take half a cycle more.
  count.most = 3.2;
  const auto more = predict({counted_solver(count, shipped_method("gmres"))}).front();
  EXPECT_EQ(more.iterations, 3);
  EXPECT_NEAR(*more.iterations_seconds, *less.iterations_seconds + 0.5 * less.seconds_per_iteration,
              1e-9);

  // As a cycle of six steps takes by itself.
  PredictionRequest six;
  six.layouts = {Layout{}};
  six.own = {OwnSolver(shipped_method("gmres"), {{"m", 6}}).priced()};
  six.schedules = {"gmres"};
  EXPECT_NEAR(last,
              predict_matrix(matrix_.view(), features_, read_profile("nvidia-h200"), six)
                  .front()
                  .seconds_per_iteration,
              1e-12);
}

TEST_F(TimeToSolution, HasAnIntervalOfTimeAndCount) {
  const auto one = predict({counted_solver(counted("cg", 100), shipped_method("cg"))}).front();
  ASSERT_TRUE(one.interval_seconds && one.iterations_interval);
  const double once = *one.start_seconds + ending(one, "nvidia-h200", 3);
  EXPECT_NEAR(one.iterations_interval->low, once + 90 * one.interval_seconds->low, 1e-9);
  EXPECT_NEAR(one.iterations_interval->high, once + 120 * one.interval_seconds->high, 1e-9);
  // Of the whole solve also of what is done once, which errs by itself.
  ASSERT_TRUE(one.total_interval);
  EXPECT_LT(one.total_interval->low, *one.total_seconds - 0.3 * *one.upload_seconds);
  EXPECT_GT(one.total_interval->high, *one.total_seconds + 0.3 * *one.upload_seconds);
  EXPECT_GT(*one.total_seconds - one.total_interval->low,
            *one.iterations_seconds - one.iterations_interval->low);
}

/// Without what calibrations of older versions did not measure.
DeviceProfile older(const char* name) {
  DeviceProfile profile = read_profile(name);
  profile.upload_seconds = 0;
  for (auto& [precision, known] : profile.precisions) {
    std::erase_if(known.conversion,
                  [](const auto& each) { return each.first.find('/') != std::string::npos; });
  }
  return profile;
}

TEST_F(TimeToSolution, OfAPersistentKernelHasItsPreparation) {
  PredictionRequest request;
  request.layouts = {Layout{}};
  request.iterations = 100;
  const auto of = [&](const DeviceProfile& profile) {
    std::vector<Prediction> all = predict_matrix(matrix_.view(), features_, profile, request);
    std::ranges::sort(all, {}, &Prediction::launch);
    return all;
  };
  const std::vector<Prediction> now = of(read_profile("nvidia-h200"));
  ASSERT_EQ(now.size(), 2u);
  const Prediction& graph = now.front();
  const Prediction& persistent = now.back();
  ASSERT_EQ(persistent.launch, LaunchMode::persistent);
  EXPECT_GT(*persistent.conversion_seconds, *graph.conversion_seconds + 3e-4);
  EXPECT_TRUE(persistent.warnings.empty());
  // It pays when its iterations have won back what that took.
  EXPECT_NEAR(*persistent.pays_after_iterations,
              std::ceil((*persistent.conversion_seconds - *graph.conversion_seconds) /
                        (graph.seconds_per_iteration - persistent.seconds_per_iteration)),
              1);
  const Prediction unknown = of(older("nvidia-h200")).back();
  EXPECT_EQ(unknown.conversion_seconds, graph.conversion_seconds);
  ASSERT_EQ(unknown.warnings.size(), 1u);
  EXPECT_NE(unknown.warnings[0].find("calibrate the device with this version"), std::string::npos);
}

TEST_F(TimeToSolution, OfNoIterationsIsTheStart) {
  const auto one = predict({counted_solver(counted("cg", 0), shipped_method("cg"))}).front();
  EXPECT_EQ(one.iterations_seconds, one.start_seconds);
  EXPECT_TRUE(one.total_seconds.has_value());
}

TEST_F(TimeToSolution, DecidesAndNotAnIteration) {
  // Steepest descent has the cheaper iteration, and takes more of them.
  const std::vector<CountedSolver> solvers{
      counted_solver(counted("steepest-descent", 20'000), shipped_method("steepest-descent")),
      counted_solver(counted("bicgstab", 100), shipped_method("bicgstab"))};
  const auto predictions = predict(solvers);
  const Prediction& best = predictions[best_choice(predictions).index];
  EXPECT_EQ(best.schedule, "bicgstab");
  EXPECT_GT(
      best.seconds_per_iteration,
      std::ranges::min(predictions, {}, &Prediction::seconds_per_iteration).seconds_per_iteration);

  AdviceRequest request;
  request.counted = solvers;
  request.max_devices = 2;
  const std::vector<DeviceProfile> profiles{read_profile("nvidia-h200")};
  const Advice advice = advise(matrix_.view(), features_, profiles, request);
  EXPECT_TRUE(advice.setup_included);
  for (const DeviceChoice& choice : advice.choices) {
    EXPECT_EQ(choice.prediction.schedule, "bicgstab");
    EXPECT_EQ(choice.seconds, *choice.prediction.total_seconds);
  }
}

TEST_F(TimeToSolution, IsAdvisedInThePrecisionThatIsFaster) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  std::vector<CountedSolver> solvers{counted_solver(counted("fused", 300))};
  IterationCount single = counted("fused", 320);
  single.precision = Precision::f32;
  solvers.push_back(counted_solver(single));
  AdviceRequest request;
  request.counted = solvers;
  const std::vector<DeviceProfile> profiles{read_profile("nvidia-h200")};
  const CsrMatrix<double> large = laplacian(5, 700, 700);
  const MatrixFeatures features = compute_features(large.view());
  const auto advised = [&] {
    const Advice advice = advise(large.view(), features, profiles, request);
    return advice.choices[advice.recommended].prediction.precision;
  };
  EXPECT_EQ(advised(), Precision::f32);
  request.counted[1].count.outcome = Outcome::stagnated;
  EXPECT_EQ(advised(), Precision::f64);
  request.counted[0].count.outcome = Outcome::breakdown;
  EXPECT_EQ(refusal_of([&] { advised(); }),
            "no solver converged (fused in f64: breakdown, fused in f32: stagnated); allow more "
            "iterations, a larger tolerance, or another solver");
}

TEST_F(TimeToSolution, LeavesOutWhatDidNotConverge) {
  IterationCount failed = counted("cg", 100);
  failed.outcome = Outcome::stagnated;
  const auto predictions =
      predict({counted_solver(failed, shipped_method("cg")),
               counted_solver(counted("bicgstab", 10), shipped_method("bicgstab"))});
  for (const Prediction& each : predictions) EXPECT_EQ(each.schedule, "bicgstab");
  EXPECT_EQ(
      refusal_of([&] { predict({counted_solver(failed, shipped_method("cg"))}); }),
      "no solver converged (cg in f64: stagnated); allow more iterations, a larger tolerance, "
      "or another solver");
}

TEST_F(TimeToSolution, CountsLiveInFeaturesFiles) {
  MatrixOrders orders(matrix_.view(), features_);
  ForecastFeatures features = count_features(orders, "grid.mtx", {});
  const std::string without = features_to_json(features);
  features.counts = {counted("cg", 12), counted("gmres", 3)};
  const std::string text = features_to_json(features);
  EXPECT_EQ(features_to_json(parse_features(text, "f.features.json")), text);
  EXPECT_EQ(parse_features(text, "f.features.json").counts.size(), 2u);
  EXPECT_TRUE(parse_features(without, "f.features.json").counts.empty());
}

}  // namespace
}  // namespace sparsecast
