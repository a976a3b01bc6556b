#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// How often threads wait for each other at each step of an iteration (by its index), as the CPU
/// back end plans it for one device: at the end of what sums, and before a multiplication that
/// looks up what was written since. Steps with a guard count for nothing.
std::vector<int> cpu_waits(const Schedule& schedule);

}  // namespace sparsecast
