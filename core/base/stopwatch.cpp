#include "core/base/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace sparsecast {
namespace {

/// The value at a fractional rank of a sorted sequence.
double at_rank(const std::vector<double>& sorted, double rank) {
  const double last = static_cast<double>(sorted.size() - 1);
  const double clamped = std::clamp(rank, 0.0, last);
  const auto below = static_cast<std::size_t>(clamped);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double fraction = clamped - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Timing summarize(std::vector<double> round_seconds, std::int64_t repeats,
                 double target_relative_error) {
  Timing timing;
  timing.repeats = repeats;
  if (!round_seconds.empty()) {
    std::vector<double> sorted = round_seconds;
    std::ranges::sort(sorted);
    const double last = static_cast<double>(sorted.size() - 1);
    timing.median_seconds = at_rank(sorted, last / 2);
    // Ranks of the median's 95 % interval: the number of rounds below the true median is binomial.
    const double half_width = 1.96 * std::sqrt(static_cast<double>(sorted.size())) / 2;
    const double interval = at_rank(sorted, std::ceil(last / 2 + half_width)) -
                            at_rank(sorted, std::floor(last / 2 - half_width));
    const double scale = timing.median_seconds > 0 ? 1 / timing.median_seconds : 0;
    timing.relative_spread = (at_rank(sorted, 0.75 * last) - at_rank(sorted, 0.25 * last)) * scale;
    timing.relative_error = interval / 2 * scale;
    timing.stable = timing.relative_error <= target_relative_error;
  }
  timing.round_seconds = std::move(round_seconds);
  return timing;
}

namespace {

/// Warms up, and finds how many repeats fill a round. `round(repeats)` returns the seconds of a
/// call.
std::int64_t warmed_up(const std::function<double(std::int64_t)>& round,
                       const StopwatchOptions& options,
                       const std::function<double()>& clock_seconds) {
  const double warm_up_end = clock_seconds() + options.max_seconds / 10;
  std::int64_t repeats = 1;
  double previous = 0;
  double fastest = std::numeric_limits<double>::infinity();
  while (true) {
    const double per_repeat = round(repeats) / static_cast<double>(repeats);
    // The fastest counts, and of two: one disturbed round must not pass for a long one.
    fastest = std::min(fastest, per_repeat);
    const bool long_enough = fastest * static_cast<double>(repeats) >= options.min_round_seconds;
    const bool settled = std::abs(per_repeat - previous) <= 0.1 * per_repeat;
    const bool twice = previous > 0;
    if (long_enough && (settled || (twice && clock_seconds() >= warm_up_end))) return repeats;
    previous = per_repeat;
    if (!long_enough) {
      const double wanted = 1.2 * options.min_round_seconds / std::max(fastest, 1e-12);
      const auto most = static_cast<double>(10 * repeats);
      repeats = std::max(repeats + 1, static_cast<std::int64_t>(std::min(wanted, most)));
    }
  }
}

/// Rounds until the median is stable or time is up; `round()` returns seconds of one repeat.
Timing take_rounds(const std::function<double()>& round, std::int64_t repeats,
                   const StopwatchOptions& options, const std::function<double()>& clock_seconds) {
  const double end = clock_seconds() + options.max_seconds;
  std::vector<double> rounds;
  while (true) {
    rounds.push_back(round());
    const auto taken = static_cast<int>(rounds.size());
    if (taken < options.min_rounds) continue;
    Timing timing = summarize(rounds, repeats, options.target_relative_error);
    if (timing.stable || taken >= options.max_rounds || clock_seconds() >= end) return timing;
  }
}

}  // namespace

Timing measure(const std::function<void(std::int64_t)>& body, const StopwatchOptions& options) {
  return measure(body, options, steady_seconds);
}

Timing measure(const std::function<void(std::int64_t)>& body, const StopwatchOptions& options,
               const std::function<double()>& clock_seconds) {
  const auto round = [&](std::int64_t repeats) {
    const double start = clock_seconds();
    body(repeats);
    return clock_seconds() - start;
  };
  const std::int64_t repeats = warmed_up(round, options, clock_seconds);
  return take_rounds([&] { return round(repeats) / static_cast<double>(repeats); }, repeats,
                     options, clock_seconds);
}

Timing measure_repeats_alone(const std::function<void(std::int64_t)>& body,
                             const StopwatchOptions& options) {
  return measure_repeats_alone(body, options, steady_seconds);
}

Timing measure_repeats_alone(const std::function<void(std::int64_t)>& body,
                             const StopwatchOptions& options,
                             const std::function<double()>& clock_seconds) {
  const auto round = [&](std::int64_t repeats) {
    const double start = clock_seconds();
    body(repeats);
    return clock_seconds() - start;
  };
  const std::int64_t repeats = warmed_up(round, options, clock_seconds);
  // Where the shorter call was disturbed more than the longer one is long, they are made again.
  constexpr int most_tries = 10;
  const auto alone = [&] {
    double seconds = 0;
    for (int tries = 0; tries < most_tries && !(seconds > 0); ++tries) {
      const double once = round(repeats);
      seconds = (round(2 * repeats) - once) / static_cast<double>(repeats);
    }
    return seconds;
  };
  return take_rounds(alone, repeats, options, clock_seconds);
}

}  // namespace sparsecast
