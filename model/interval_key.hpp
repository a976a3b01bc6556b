#pragma once

#include <string>
#include <string_view>

#include "core/schedule/schedule.hpp"
#include "core/workload/launch_mode.hpp"

namespace sparsecast {

/// What keys of kernels for all iterations begin with.
inline constexpr std::string_view persistent_intervals = "persistent";

/// The key of the intervals of whole iterations ("iteration/2": the stratum of the working set),
/// of one kernel for all of them ("persistent/0"), or of a single step ("step/3").
std::string interval_key(const Schedule& schedule, LaunchMode launch, double working_set_bytes);

}  // namespace sparsecast
