#pragma once

#include <map>
#include <string>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The schedules of conjugate gradients, each built once.
class ScheduleCache {
 public:
  /// `cg_schedule(name)`, and throws what that throws.
  const Schedule& at(const std::string& name) {
    const auto known = schedules_.find(name);
    if (known != schedules_.end()) return known->second;
    return schedules_.emplace(name, cg_schedule(name)).first->second;
  }

 private:
  std::map<std::string, Schedule> schedules_;
};

}  // namespace sparsecast
