#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include "core/engine/backend.hpp"
#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// How far a solve has come.
struct SolveProgress {
  std::int64_t iterations = 0;
  /// In [0, 1]: of the iterations (fixed), or of the way that beta has to fall, in decades.
  double fraction = 0;
};

/// Runs the iterations: at once, or in parts of about a tenth of a second if somebody wants to know
/// how far it is. `fraction(iterations)`: of the way, in [0, 1]. Ranks (nullptr: none) take the
/// same parts.
template <class T>
RunReport run_in_parts(PreparedSchedule<T>& prepared, std::int64_t limit,
                       const std::function<bool(const SolveProgress&)>& keep_going,
                       const std::function<double(std::int64_t)>& fraction,
                       Communicator* ranks = nullptr) {
  using Clock = std::chrono::steady_clock;
  constexpr double part_seconds = 0.1;
  if (!keep_going) return prepared.run(limit);
  RunReport all;
  std::int64_t part = 16;
  while (all.iterations < limit) {
    const auto start = Clock::now();
    const RunReport report = prepared.run(std::min(part, limit - all.iterations));
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    all.iterations += report.iterations;
    all.outcome = report.outcome;
    if (report.outcome != Outcome::iteration_limit) break;
    if (!keep_going({all.iterations, fraction(all.iterations)})) break;
    if (ranks != nullptr) seconds = ranks->maximum(seconds);
    if (seconds < part_seconds / 2) part *= 2;
    if (seconds > part_seconds * 2) part = std::max<std::int64_t>(1, part / 2);
  }
  return all;
}

/// The same one iteration at a time. `after(iterations)` is called after each.
template <class T>
RunReport run_in_steps(PreparedSchedule<T>& prepared, std::int64_t limit,
                       const std::function<bool(const SolveProgress&)>& keep_going,
                       const std::function<double(std::int64_t)>& fraction,
                       const std::function<void(std::int64_t)>& after) {
  RunReport all;
  while (all.iterations < limit) {
    const RunReport report = prepared.run(1);
    all.iterations += report.iterations;
    all.outcome = report.outcome;
    if (report.iterations > 0) after(all.iterations);
    if (report.outcome != Outcome::iteration_limit) break;
    if (keep_going && !keep_going({all.iterations, fraction(all.iterations)})) break;
  }
  return all;
}

}  // namespace sparsecast
