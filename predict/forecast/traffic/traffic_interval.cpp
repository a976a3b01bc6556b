#include "predict/forecast/traffic/traffic_interval.hpp"

#include <algorithm>

#include "model/interval_key.hpp"

namespace sparsecast {

std::optional<Interval> traffic_interval(const TrafficProfile& profile, const Schedule& schedule,
                                         LaunchMode launch, double working_set_bytes,
                                         double seconds) {
  // Calibration has measured no solver of the user's own.
  const auto is_pass = [](const Step& step) { return step.pass.has_value(); };
  if (std::ranges::any_of(schedule.iteration, is_pass)) return std::nullopt;
  const auto ratios = profile.intervals.find(interval_key(schedule, launch, working_set_bytes));
  if (ratios == profile.intervals.end()) return std::nullopt;
  return Interval{seconds * ratios->second.low, seconds * ratios->second.high};
}

}  // namespace sparsecast
