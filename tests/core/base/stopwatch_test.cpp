#include "core/base/stopwatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sparsecast {
namespace {

TEST(Stopwatch, TakesTheMedianAndQuartilesOfRounds) {
  const Timing timing = summarize({5, 1, 2, 4, 3}, 10, 0.01);
  EXPECT_DOUBLE_EQ(timing.median_seconds, 3);
  EXPECT_DOUBLE_EQ(timing.relative_spread, 2.0 / 3);
  EXPECT_DOUBLE_EQ(timing.relative_error, 2.0 / 3);
  EXPECT_EQ(timing.repeats, 10);
  EXPECT_EQ(timing.round_seconds, (std::vector<double>{5, 1, 2, 4, 3}));
  EXPECT_FALSE(timing.stable);
}

TEST(Stopwatch, TakesTheMiddleOfAnEvenNumberOfRounds) {
  EXPECT_DOUBLE_EQ(summarize({1, 2, 4, 8}, 1, 0.01).median_seconds, 3);
}

TEST(Stopwatch, NarrowsTheMediansIntervalAsRoundsGrow) {
  std::vector<double> rounds;
  double error = 1;
  for (int count : {16, 64, 256}) {
    while (static_cast<int>(rounds.size()) < count) {
      rounds.push_back(1 + 0.01 * static_cast<double>(rounds.size() % 16));
    }
    const double next = summarize(rounds, 1, 0.01).relative_error;
    EXPECT_LT(next, error);
    error = next;
  }
}

/// A clock that moves only when work is done.
struct SyntheticClock {
  double now = 100;
  std::vector<std::int64_t> calls;

  template <class SecondsPerRepeat>
  Timing time(const StopwatchOptions& options, SecondsPerRepeat seconds_per_repeat) {
    return measure(
        [&](std::int64_t repeats) {
          now += static_cast<double>(repeats) * seconds_per_repeat(calls.size());
          calls.push_back(repeats);
        },
        options, [&] { return now; });
  }
};

TEST(Stopwatch, RepeatsShortWorkUntilARoundIsLongEnough) {
  SyntheticClock clock;
  StopwatchOptions options;
  options.min_round_seconds = 1e-3;
  const Timing timing = clock.time(options, [](std::size_t) { return 2e-6; });
  EXPECT_NEAR(timing.median_seconds, 2e-6, 1e-12);
  EXPECT_GE(static_cast<double>(timing.repeats) * 2e-6, 1e-3);
  EXPECT_LE(static_cast<double>(timing.repeats) * 2e-6, 3e-3);
  EXPECT_TRUE(timing.stable);
  EXPECT_EQ(timing.round_seconds.size(), 5u);
}

TEST(Stopwatch, LeavesWarmUpOutOfTheRounds) {
  SyntheticClock clock;
  const std::vector<double> cold{0.04, 0.02, 0.01};
  const Timing timing = clock.time(StopwatchOptions{}, [&](std::size_t call) {
    return call < cold.size() ? cold[call] : 0.005;
  });
  EXPECT_NEAR(*std::ranges::max_element(timing.round_seconds), 0.005, 1e-12);
}

TEST(Stopwatch, TakesTheFewestRoundsEvenOfVeryLongWork) {
  SyntheticClock clock;
  const Timing timing =
      clock.time(StopwatchOptions{}, [](std::size_t call) { return 5.0 + (call % 2 ? 1 : 0); });
  EXPECT_EQ(timing.round_seconds.size(), 5u);
  EXPECT_EQ(timing.repeats, 1);
  EXPECT_FALSE(timing.stable);
}

TEST(Stopwatch, StopsNoisyWorkWhenTheTimeIsUp) {
  SyntheticClock clock;
  StopwatchOptions options;
  options.max_seconds = 0.5;
  options.max_rounds = 1000;
  const double start = clock.now;
  const Timing timing =
      clock.time(options, [](std::size_t call) { return call % 2 ? 0.02 : 0.01; });
  EXPECT_FALSE(timing.stable);
  EXPECT_LE(clock.now - start, 0.5 * 1.1 + 0.1);
  EXPECT_GT(timing.round_seconds.size(), 20u);
}

TEST(Stopwatch, StopsNoisyWorkAtTheMostRounds) {
  SyntheticClock clock;
  StopwatchOptions options;
  options.max_rounds = 12;
  const Timing timing =
      clock.time(options, [](std::size_t call) { return call % 2 ? 0.002 : 0.001; });
  EXPECT_EQ(timing.round_seconds.size(), 12u);
}

TEST(Stopwatch, LeavesOutWhatEveryCallCosts) {
  double now = 100;
  const Timing timing = measure_repeats_alone(
      [&](std::int64_t repeats) { now += 4e-5 + 2e-6 * static_cast<double>(repeats); },
      StopwatchOptions{}, [&] { return now; });
  EXPECT_NEAR(timing.median_seconds, 2e-6, 1e-9);
  EXPECT_TRUE(timing.stable);
}

}  // namespace
}  // namespace sparsecast
