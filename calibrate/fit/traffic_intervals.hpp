#pragma once

#include <map>
#include <span>
#include <string>

#include "calibrate/fit/traffic_fit.hpp"
#include "core/workload/gpu_execution.hpp"
#include "model/interval_ratios.hpp"
#include "model/traffic/traffic_parameters.hpp"

namespace sparsecast {

/// 90 % intervals by `interval_keys`, split conformal (`interval_of`): from what was held out of
/// the fit, and of kernels for all iterations and of passes, for which nothing is learned but a few
/// parameters, from what was fitted too (of passes by the terms alone: a user's solver is not among
/// them). Ratios of what is unlike all that was calibrated count by
/// their roots (`interval_widening.hpp`). Points that the parameters cannot price are left out.
std::map<std::string, IntervalRatios> fit_traffic_intervals(std::span<const TrafficPoint> fitted,
                                                            std::span<const TrafficPoint> held_out,
                                                            const GpuShape& gpu,
                                                            const TrafficParameters& parameters);

}  // namespace sparsecast
