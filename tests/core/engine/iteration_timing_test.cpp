#include "core/engine/iteration_timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

StopwatchOptions brief() {
  StopwatchOptions options;
  options.max_seconds = 0.05;
  options.max_rounds = 10;
  return options;
}

/// Stands for a device on which a run costs a fixed time and so much for each iteration, and on
/// which a solve goes on for so many iterations.
class TimedSolver final : public PreparedSchedule<double> {
 public:
  TimedSolver(double run_seconds, double iteration_seconds, std::int64_t possible)
      : run_seconds_(run_seconds), iteration_seconds_(iteration_seconds), possible_(possible) {}

  void set_vector(std::string_view, std::span<const double>) override {}
  void repeat_in_vector(std::string_view, std::span<const double>) override {}
  void get_vector(std::string_view, std::span<double>) const override {}
  void set_scalar(std::string_view, double) override {}
  double scalar(std::string_view) const override { return 1; }
  RunReport run_setup() override {
    done_ = 0;
    return {};
  }
  RunReport run(std::int64_t iterations) override {
    const std::int64_t count = std::min(iterations, possible_ - done_);
    done_ += count;
    lengths[iterations] += 1;
    now += run_seconds_ + static_cast<double>(count) * iteration_seconds_ + disturbance(iterations);
    return {count < iterations ? Outcome::not_positive_definite : Outcome::iteration_limit, count};
  }
  void run_finish() override {}
  RunCounters counters() const override { return {}; }
  std::vector<SegmentShape> segments() const override { return {}; }
  std::vector<std::int64_t> bytes_per_device() const override { return {}; }
  double conversion_seconds() const override { return 0; }
  double upload_seconds() const override { return 0; }

  Timing timing() {
    return measure_iteration(*this, cg_slots(), laplacian(3, 4).view(), brief(),
                             [this] { return now; });
  }

  double now = 0;                       ///< seconds
  std::map<std::int64_t, int> lengths;  ///< how often a run of so many iterations was made
  /// Seconds that a run of so many iterations takes longer.
  std::function<double(std::int64_t)> disturbance = [](std::int64_t) { return 0; };

 private:
  double run_seconds_;
  double iteration_seconds_;
  std::int64_t possible_;
  std::int64_t done_ = 0;
};

TEST(MeasureIteration, LeavesOutWhatEveryRunCosts) {
  TimedSolver solver(400e-6, 10e-6, 1 << 20);

  const Timing timing = solver.timing();

  EXPECT_NEAR(timing.median_seconds, 10e-6, 1e-12);
}

TEST(MeasureIteration, RunsMultiplesOfSixteenIterations) {
  TimedSolver solver(0, 10e-6, 1 << 20);

  const Timing timing = solver.timing();

  EXPECT_EQ(timing.repeats, 112);  // at least a millisecond
  EXPECT_EQ(solver.lengths[timing.repeats], solver.lengths[2 * timing.repeats]);
}

TEST(MeasureIteration, RunsAsManyAsThereAreBeforeTheSolveEnds) {
  TimedSolver solver(0, 10e-6, 70);

  const Timing timing = solver.timing();

  EXPECT_EQ(timing.repeats, 32);  // 1 + 2 * 32 <= 70
  EXPECT_GE(timing.round_seconds.size(), 5u);
}

TEST(MeasureIteration, TimesASolveOfASingleIteration) {
  TimedSolver solver(0, 100e-6, 1);

  const Timing timing = solver.timing();

  EXPECT_EQ(timing.repeats, 1);
  EXPECT_NEAR(timing.median_seconds, 100e-6, 1e-12);
}

TEST(MeasureIteration, RunsLongIterationsFewTimes) {
  TimedSolver solver(1e-3, 20e-3, 1 << 20);

  const Timing timing = solver.timing();

  EXPECT_EQ(timing.repeats, 1);
  EXPECT_NEAR(timing.median_seconds, 20e-3, 1e-9);
}

TEST(MeasureIteration, IsATimeHoweverDisturbed) {
  TimedSolver solver(0, 10e-6, 1 << 20);
  int runs = 0;
  // The first run of every round takes a hundred times as long.
  const Timing timing = measure_iteration(solver, cg_slots(), laplacian(3, 4).view(), brief(), [&] {
    solver.now += runs++ % 4 == 1 ? 0.1 : 0;
    return solver.now;
  });

  for (const double seconds : timing.round_seconds) EXPECT_GT(seconds, 0);
}

TEST(MeasureIteration, IsNoFasterForShortRunsThatAreDisturbed) {
  TimedSolver solver(50e-6, 10e-6, 1 << 20);
  int runs = 0;
  // Of the runs of a round the first, but for one in four.
  solver.disturbance = [&](std::int64_t iterations) {
    return iterations == 112 && runs++ % 4 != 3 ? 0.8e-3 : 0;
  };

  const Timing timing = solver.timing();

  EXPECT_EQ(timing.repeats, 112);
  EXPECT_GE(timing.median_seconds, 10e-6);
}

TEST(MeasureIteration, SaysWhenThereIsNotOneIteration) {
  TimedSolver solver(0, 1e-6, 0);

  EXPECT_THROW(solver.timing(), Error);
}

TEST(ThreadedMeasureIteration, OutlastsTheConvergenceOfATinySystem) {
  const CsrMatrix<double> matrix = laplacian(3, 4);
  CpuBackend backend(1, 2);
  for (const char* schedule : {"algorithm1", "fused"}) {
    SCOPED_TRACE(schedule);
    const auto prepared = backend.prepare(built_in(schedule).schedule, matrix, Layout{});

    const Timing timing = measure_iteration(*prepared, cg_slots(), matrix.view(), brief());

    EXPECT_GE(timing.round_seconds.size(), 1u);
    EXPECT_GT(timing.median_seconds, 0);
  }
}

TEST(ThreadedMeasureIteration, FindsHundredsOfIterationsInASmallSystem) {
  const CsrMatrix<double> matrix = spd_surrogate(laplacian(5, 20, 20));
  const CsrMatrix<float> single = convert_values<float>(matrix.view());
  CpuBackend backend(1, 1);
  for (const char* schedule : {"algorithm1", "fused"}) {
    SCOPED_TRACE(schedule);
    const auto prepared = backend.prepare(built_in(schedule).schedule, single, Layout{});
    StopwatchOptions options = brief();
    options.min_round_seconds = 1;  // never reached

    EXPECT_GE(measure_iteration(*prepared, cg_slots(), single.view(), options).repeats, 64);
  }
}

TEST(CanIterate, IsFalseOfAnIndefiniteMatrix) {
  CsrMatrix<double> matrix = laplacian(5, 6, 6);
  CpuBackend backend(1, 1);
  const auto good = backend.prepare(fused_cg_schedule(), matrix, Layout{});
  EXPECT_TRUE(can_iterate(*good, cg_slots(), matrix.view(), 20));

  for (double& value : matrix.values) {
    if (value < 0) value *= 100;
  }
  const auto bad = backend.prepare(fused_cg_schedule(), matrix, Layout{});
  EXPECT_FALSE(can_iterate(*bad, cg_slots(), matrix.view(), 20));
}

}  // namespace
}  // namespace sparsecast
