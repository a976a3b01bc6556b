#pragma once

#include <optional>

#include "core/schedule/schedule.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/traffic/traffic_parameters.hpp"
#include "predict/interval.hpp"
#include "predict/prediction.hpp"

namespace sparsecast {

/// The 90 % interval of a time that the traffic model forecasts for a schedule whose iterations
/// touch so many bytes; nothing where the profile knows none of that kind and size.
std::optional<Interval> traffic_interval(const TrafficProfile& profile, const Schedule& schedule,
                                         LaunchMode launch, double working_set_bytes,
                                         double seconds);

}  // namespace sparsecast
