#pragma once

#include <map>
#include <set>
#include <string>

#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/schedule.hpp"
#include "model/paper/iteration_time.hpp"

namespace sparsecast {

/// The schedules of conjugate gradients, each built once, and those of the user's own.
class ScheduleCache {
 public:
  /// `cg_schedule(name)`, and throws what that throws; or the one that was added with this name.
  const Schedule& at(const std::string& name) {
    const auto known = schedules_.find(name);
    if (known != schedules_.end()) return known->second;
    return schedules_.emplace(name, cg_schedule(name)).first->second;
  }

  /// One of the user's own, by its name.
  void add(const Schedule& schedule) {
    schedules_.insert_or_assign(schedule.name, schedule);
    own_.insert(schedule.name);
  }
  bool is_own(const std::string& name) const { return own_.contains(name); }

  /// Floating-point operations of an iteration with so many stored elements: by the paper's count
  /// for conjugate gradients, whatever the schedule, else those of the steps.
  double flops(const std::string& name, double unknowns, double elements) {
    if (!is_own(name)) return iteration_flops(unknowns, elements);
    SegmentShape shape;
    shape.unknowns = unknowns;
    shape.elements = elements;
    double sum = 0;
    for (const Step& step : at(name).iteration) sum += evaluate(step.flops, shape);
    return sum;
  }

 private:
  std::map<std::string, Schedule> schedules_;
  std::set<std::string> own_;
};

}  // namespace sparsecast
