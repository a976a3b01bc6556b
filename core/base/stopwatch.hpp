#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sparsecast {

/// How long to measure. Rounds are repeated until the median is stable or time is up.
struct StopwatchOptions {
  double target_relative_error = 0.01;  ///< half width of the median's confidence interval
  double min_round_seconds = 1e-3;      ///< repeats per round grow until a round takes this long
  int min_rounds = 5;
  int max_rounds = 200;
  double max_seconds = 1.0;  ///< for all rounds; at least min_rounds are taken all the same
};

/// A measured time with its noise and raw rounds.
struct Timing {
  double median_seconds = 0;          ///< of one repeat
  double relative_spread = 0;         ///< interquartile range over median
  double relative_error = 0;          ///< half width of the median's 95 % interval over median
  std::int64_t repeats = 0;           ///< per round
  std::vector<double> round_seconds;  ///< one per round, per repeat
  bool stable = false;                ///< the target was reached
};

/// Seconds of the steady clock since some moment.
double steady_seconds();

/// Median, spread and error of rounds that were taken (seconds per repeat each).
Timing summarize(std::vector<double> round_seconds, std::int64_t repeats,
                 double target_relative_error);

/// Times `body(repeats)`, which must do the work that many times. Warms up first (at least one
/// call, and until two successive rounds agree to 10 % or a tenth of max_seconds is gone).
Timing measure(const std::function<void(std::int64_t)>& body, const StopwatchOptions& options);

/// The same with another clock, which returns seconds since some moment.
Timing measure(const std::function<void(std::int64_t)>& body, const StopwatchOptions& options,
               const std::function<double()>& clock_seconds);

/// The same for work of which every call has a cost of its own that no repeat causes, such as the
/// wait for a device at its end: a round is the difference between a call of twice `repeats` and
/// one of `repeats`. Where it is not positive, of disturbed calls,
/// both are made again, ten times at most: a median that is not positive says that no time can be
/// told.
Timing measure_repeats_alone(const std::function<void(std::int64_t)>& body,
                             const StopwatchOptions& options);
Timing measure_repeats_alone(const std::function<void(std::int64_t)>& body,
                             const StopwatchOptions& options,
                             const std::function<double()>& clock_seconds);

}  // namespace sparsecast
