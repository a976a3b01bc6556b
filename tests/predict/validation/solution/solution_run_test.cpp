#include "predict/validation/solution/solution_run.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/cuda_execution.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/case_row.hpp"
#include "predict/validation/validation_run.hpp"

namespace sparsecast {
namespace {

ValidationInput input_of(const char* name, const CsrMatrix<double>& matrix) {
  ValidationSource source;
  source.name = name;
  source.nonzeros = static_cast<double>(matrix.nonzeros());
  source.keeps_values = true;
  source.load = [name, shared = std::make_shared<CsrMatrix<double>>(matrix)](int) {
    return ValidationMatrix{name, *shared, false};
  };
  return std::move(prepare_inputs(source, 1).front());
}

ValidationInput grid() {
  return input_of("grid", laplacian(5, 20, 20));
}

/// Counts and solves on this CPU.
class SolutionRun : public ::testing::Test {
 protected:
  SolutionRun() : backend_(open_backend("cpu", 2)) {
    request_.layouts = {Layout{}};
    request_.seconds_per_case = 0.01;
    rules_.count.tolerance = 1e-8;
    rules_.count.compete = false;
    rules_.right_hand_side = [](std::int64_t rows) {
      return std::vector<double>(static_cast<std::size_t>(rows), 1);
    };
    monitor_.backend = [this](int, LaunchMode) -> Backend& { return *backend_; };
    monitor_.proceed = [this](const std::string& what, double done) {
      EXPECT_GE(done, 0);
      EXPECT_LE(done, 1);
      asked_.push_back(what);
      return asked_.size() < stop_after_;
    };
    monitor_.done = [this](ValidationRow row) { rows_.push_back(std::move(row)); };
    monitor_.skipped = [this](const std::string& what) { skipped_.push_back(what); };
  }

  void solve_by(const std::vector<std::string>& solvers, const NamedNumbers& settings = {}) {
    request_.own.clear();
    for (const std::string& name : solvers) {
      if (name == "fused") continue;
      request_.own.emplace(name, OwnSolver(shipped_method(name), settings));
    }
    request_.solvers = validated_solvers(solvers, {}, false, request_.own);
  }

  bool run(const ValidationInput& input) {
    return validate_solutions(input, request_, rules_, *backend_, monitor_);
  }

  std::unique_ptr<Backend> backend_;
  ValidationRequest request_;
  SolutionRules rules_;
  ValidationMonitor monitor_;
  std::vector<ValidationRow> rows_;
  std::vector<std::string> skipped_;
  std::vector<std::string> asked_;
  std::size_t stop_after_ = 1'000'000;
};

TEST_F(SolutionRun, CountsAndSolvesBySeveralSolvers) {
  solve_by({"fused", "cg", "bicgstab"});

  EXPECT_TRUE(run(grid()));

  ASSERT_EQ(rows_.size(), 3u);
  std::set<std::string> seen;
  for (const ValidationRow& row : rows_) {
    SCOPED_TRACE(row.schedule);
    seen.insert(row.schedule);
    ASSERT_TRUE(row.solution);
    const SolutionCase& one = *row.solution;
    EXPECT_TRUE(one.count.solves());
    EXPECT_EQ(one.count.solver, row.schedule);
    EXPECT_TRUE(converged(one));
    // The same device counts and solves.
    EXPECT_EQ(one.iterations, one.count.iterations);
    EXPECT_EQ(one.amount, one.count.amount);
    EXPECT_GT(one.measured.iterations, 0);
    EXPECT_GT(one.measured.conversion, 0);
    EXPECT_GT(one.measured.start, 0);
    EXPECT_GE(one.call_seconds, one.measured.total());
    EXPECT_DOUBLE_EQ(row.measured_seconds, one.measured.iterations / one.amount);
    EXPECT_EQ(row.segments.size(), 1u);
    EXPECT_GE(row.rounds, 1);
    EXPECT_FALSE(row.surrogate_values);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"fused", "cg", "bicgstab"}));
  EXPECT_TRUE(skipped_.empty());
}

/// What `predict` says of a measured case.
double predicted_total(const ValidationInput& input, const ValidationRow& row,
                       const DeviceProfile& profile, const Method& method) {
  PredictionRequest request;
  request.layouts = {row.layout};
  if (!row.launch.empty()) request.launches = {parse_launch_mode(row.launch)};
  const std::vector<CountedSolver> counted{counted_solver(row.solution->count, method)};
  ask_for_solution(counted, request);
  const auto predictions = predict_matrix(input.f64.view(), input.features, profile, request);
  return predictions.at(0).total_seconds.value_or(0);
}

TEST_F(SolutionRun, IsPricedAsPredictPricesIt) {
  const ValidationInput input = grid();
  solve_by({"gmres"}, {{"m", 7}});
  EXPECT_TRUE(run(input));
  ASSERT_EQ(rows_.size(), 1u);
  ValidationRow& row = rows_[0];
  const Method method = shipped_method("gmres");

  const DeviceProfile cpu = read_profile("amd-epyc-zen4-2cores");
  price_rows(std::span(&row, 1), cpu, "", CurveKind::average, request_.own);
  ASSERT_TRUE(row.solution->predicted);
  EXPECT_NEAR(row.solution->predicted->total() / predicted_total(input, row, cpu, method), 1, 1e-9);

  // The same as if it had run on a GPU.
  const DeviceProfile gpu = read_profile("nvidia-h200");
  ValidationRequest on_gpu = request_;
  on_gpu.gpu = gpu.traffic->gpu;
  ValidationRow there =
      case_row(input, on_gpu, {"gmres", LaunchMode::graph}, Precision::f64, {}, 1);
  there.solution = row.solution;
  there.execution = case_execution(input, there, on_gpu);
  there.segments = {cuda_shape(input.f64.view(), input.features, input.access, {}, CudaPolicy{})};
  price_rows(std::span(&there, 1), gpu, "", CurveKind::average, request_.own);
  ASSERT_TRUE(there.solution->predicted);
  EXPECT_NEAR(there.solution->predicted->total() / predicted_total(input, there, gpu, method), 1,
              1e-9);
  EXPECT_GT(there.solution->predicted->upload, 0);

  // Priced by the curves there is none.
  price_rows(std::span(&there, 1), gpu, "paper", CurveKind::average, request_.own);
  EXPECT_FALSE(there.solution->predicted);
}

TEST_F(SolutionRun, TakesTheLastCycleByItsSteps) {
  solve_by({"gmres"}, {{"m", 7}});

  EXPECT_TRUE(run(grid()));

  ASSERT_EQ(rows_.size(), 1u);
  const SolutionCase& one = *rows_[0].solution;
  ASSERT_TRUE(one.cycle_steps);
  EXPECT_EQ(one.count.settings, (NamedNumbers{{"m", 7}}));
  EXPECT_DOUBLE_EQ(one.amount, static_cast<double>(one.iterations - 1) +
                                   static_cast<double>(*one.cycle_steps) / 7);
}

TEST_F(SolutionRun, LeavesOutSolversThatNeedASymmetricMatrixAndKeepsItsValues) {
  solve_by({"cg", "bicgstab"});

  EXPECT_TRUE(run(input_of("general", dominant_matrix(200))));

  ASSERT_EQ(rows_.size(), 1u);
  EXPECT_EQ(rows_[0].schedule, "bicgstab");
  EXPECT_FALSE(rows_[0].surrogate_values);
  EXPECT_EQ(skipped_, (std::vector<std::string>{
                          "general is not symmetric: left out, as they cannot solve with it: cg"}));
}

TEST_F(SolutionRun, RunsWhatDidNotConvergeForAsManyIterations) {
  solve_by({"cg"});
  rules_.count.max_iterations = 3;

  EXPECT_TRUE(run(grid()));

  ASSERT_EQ(rows_.size(), 1u);
  const SolutionCase& one = *rows_[0].solution;
  EXPECT_FALSE(one.count.solves());
  EXPECT_EQ(one.outcome, Outcome::iteration_limit);
  EXPECT_EQ(one.iterations, 3);
  EXPECT_EQ(rows_[0].rounds, 1);
}

TEST_F(SolutionRun, StopsWhenItIsTold) {
  solve_by({"cg", "bicgstab"});
  stop_after_ = 1;

  EXPECT_FALSE(run(grid()));
  EXPECT_TRUE(rows_.empty());
}

TEST_F(SolutionRun, MeasuresOnlyWhatIsWanted) {
  solve_by({"cg", "bicgstab"});
  monitor_.wanted = [](const ValidationRow& row) { return row.schedule == "bicgstab"; };

  EXPECT_TRUE(run(grid()));

  ASSERT_EQ(rows_.size(), 1u);
  EXPECT_EQ(rows_[0].schedule, "bicgstab");
  for (const std::string& what : asked_) EXPECT_EQ(what.find(" cg"), std::string::npos) << what;
}

TEST_F(SolutionRun, KnowsItsCasesBeforeTheyRun) {
  solve_by({"gmres"}, {{"m", 7}});
  std::set<std::string> wanted;
  monitor_.wanted = [&](const ValidationRow& row) {
    wanted.insert(case_key(row));
    return true;
  };

  EXPECT_TRUE(run(grid()));

  ASSERT_EQ(rows_.size(), 1u);
  EXPECT_TRUE(wanted.contains(case_key(rows_[0])));
  ValidationRow other = rows_[0];
  other.solution->count.tolerance = 1e-6;
  EXPECT_NE(case_key(other), case_key(rows_[0]));
}

}  // namespace
}  // namespace sparsecast
