#include "predict/forecast/traffic/traffic_interval.hpp"

#include "model/interval_key.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {

std::optional<Interval> traffic_interval(const TrafficProfile& profile, const Schedule& schedule,
                                         LaunchMode launch, double working_set_bytes,
                                         double seconds) {
  if (has_passes(schedule)) return std::nullopt;
  const auto ratios = profile.intervals.find(interval_key(schedule, launch, working_set_bytes));
  if (ratios == profile.intervals.end()) return std::nullopt;
  return Interval{seconds * ratios->second.low, seconds * ratios->second.high};
}

}  // namespace sparsecast
