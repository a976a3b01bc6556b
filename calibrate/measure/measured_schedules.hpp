#pragma once

#include <string>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The schedule that measures a kernel (names as in `Sample::kernel` and, for an "Iteration",
/// `Sample::schedule`). Throws `Error` for others.
Schedule schedule_to_measure(const std::string& kernel, const std::string& schedule = "");

}  // namespace sparsecast
