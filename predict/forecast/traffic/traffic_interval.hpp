#pragma once

#include <optional>
#include <string>

#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/persistent_needs.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/traffic_parameters.hpp"
#include "model/traffic/traffic_price.hpp"
#include "predict/interval.hpp"

namespace sparsecast {

/// What a time is of that the traffic model forecasts.
struct TrafficTime {
  const PricedSchedule& schedule;
  std::optional<LaunchMode> launch;  ///< none on a CPU
  Layout layout;
  double working_set_bytes = 0;
  double seconds = 0;
  double likeness = 1;  ///< `TrafficPrice::likeness`
  /// Of a kernel for all iterations; by default that which calibration measures.
  PersistentNeeds persistent_needs{};
};

/// The 90 % interval of a time; nothing where the profile knows none of that kind and size. Wider
/// of what calibration has seen nothing like, or nothing so large (`interval_widening.hpp`).
std::optional<Interval> traffic_interval(const TrafficProfile& profile, const TrafficTime& time);

/// Says so, in a sentence; empty where calibration has seen the like (a likeness of 0.05: of what
/// was calibrated itself nearly all), and so large.
std::string novelty_warning(const TrafficProfile& profile, const TrafficTime& time);

}  // namespace sparsecast
