#include "model/traffic/library_time.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

const LibraryExecution host_call{.library = "one", .host_call_seconds = 10e-6};

Step step_of(StepKind kind) {
  Step step;
  step.kind = kind;
  return step;
}

/// Three kernels, and a wait behind them.
Schedule three_calls_and_a_wait() {
  Schedule schedule;
  schedule.iteration = {step_of(StepKind::kernel), step_of(StepKind::kernel),
                        step_of(StepKind::kernel), step_of(StepKind::barrier)};
  return schedule;
}

TrafficPrice kernels_of(double seconds, int count = 3) {
  TrafficPrice price;
  for (int k = 0; k < count; ++k) {
    price.steps.emplace_back().seconds = seconds;
    price.seconds += seconds;
  }
  return price;
}

TEST(LibraryTime, IsTheHostsWhereKernelsAreShort) {
  const TrafficPrice price = with_host(three_calls_and_a_wait(), host_call, kernels_of(1e-6));
  // Three calls, the end of the last kernel, and the wait.
  EXPECT_NEAR(price.seconds, 41e-6, 1e-12);
  EXPECT_NEAR(price.launch_seconds, 38e-6, 1e-12);
}

TEST(LibraryTime, IsTheGpusWhereKernelsAreLongButForTheWait) {
  const TrafficPrice price = with_host(three_calls_and_a_wait(), host_call, kernels_of(100e-6));
  // Nothing runs from the wait's end to the first call's.
  EXPECT_NEAR(price.seconds, 320e-6, 1e-12);
}

TEST(LibraryTime, IsTheLongerOfBothWhereNobodyWaits) {
  Schedule schedule = three_calls_and_a_wait();
  schedule.iteration.pop_back();
  EXPECT_NEAR(with_host(schedule, host_call, kernels_of(100e-6)).seconds, 300e-6, 1e-12);
  EXPECT_NEAR(with_host(schedule, host_call, kernels_of(1e-6)).seconds, 30e-6, 1e-12);
}

TEST(LibraryTime, OfAWaitBehindEachKernelIsTheSumOfBoth) {
  Schedule schedule;
  for (int k = 0; k < 3; ++k) {
    schedule.iteration.push_back(step_of(StepKind::kernel));
    schedule.iteration.push_back(step_of(StepKind::barrier));
  }
  EXPECT_NEAR(with_host(schedule, host_call, kernels_of(100e-6)).seconds, 360e-6, 1e-12);
}

TEST(LibraryTime, LeavesOutWhatIsMostlySkipped) {
  Schedule schedule = three_calls_and_a_wait();
  Step skipped = step_of(StepKind::kernel);
  skipped.guard = ScalarTest{};
  schedule.iteration.push_back(skipped);
  EXPECT_EQ(library_calls(schedule), (LibraryCalls{3, 1}));
  EXPECT_NEAR(with_host(schedule, host_call, kernels_of(1e-6)).seconds, 41e-6, 1e-12);
}

TEST(LibraryTime, MovesBytesOfVectorsAtTheLibrarysRate) {
  Schedule schedule = three_calls_and_a_wait();
  schedule.iteration[1].pass.emplace();
  TrafficPrice kernels = kernels_of(100e-6);
  for (StepPrice& step : kernels.steps) step.fixed_seconds = 20e-6;
  const LibraryExecution library{.library = "one", .vector_rate = 0.5};
  const TrafficPrice price = with_host(schedule, library, kernels);
  EXPECT_NEAR(price.seconds, 380e-6, 1e-12);
  EXPECT_NEAR(price.steps[1].seconds, 180e-6, 1e-12);
}

}  // namespace
}  // namespace sparsecast
