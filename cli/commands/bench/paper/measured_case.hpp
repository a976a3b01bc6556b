#pragma once

#include <iterator>

#include "cli/commands/bench/paper/measured_csv.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"

namespace sparsecast::cli {

/// What was to be measured, with its seconds, spread, rounds and repeats, or the reason why there
/// are none. `time` measures it, and fills in what it learns besides.
template <class Measurement, class Time>
Measurement measured_case(Measurement m, const Time& time) {
  try {
    const Timing timing = time(m);
    m.seconds = kept_seconds(timing.median_seconds);
    m.spread = timing.relative_spread;
    m.rounds = std::ssize(timing.round_seconds);
    m.repeats = timing.repeats;
  } catch (const Error& error) {
    m.reason = error.what();
  }
  return m;
}

}  // namespace sparsecast::cli
