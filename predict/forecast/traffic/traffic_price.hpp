#pragma once

#include <string>
#include <vector>

#include "model/paper/iteration_time.hpp"
#include "model/traffic/traffic_parameters.hpp"
#include "model/traffic/traffic_pricer.hpp"

/// @file
/// What forecasts of the traffic model for one device and for several have in common.

namespace sparsecast {

/// Whether the traffic model has all parameters of the groups that a price depends on
/// (`TrafficPricer::parameter_groups`) but for those of passes, which it can do without.
bool knows_all(const TrafficParameters& parameters, const std::vector<std::string>& groups);

/// The parts of an iteration's time, as the paper's model divides it.
TimeParts parts_of(const TrafficPrice& price);

}  // namespace sparsecast
