#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/own_solver.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {

/// Shipped schedules that have a kernel for all iterations.
inline std::vector<std::string> planned_names() {
  std::vector<std::string> names;
  for (const std::string& name : shipped_names()) {
    try {
      const Solver solver = OwnSolver(shipped_method(name), {}).priced();
      if (std::holds_alternative<PersistentPlan>(plan_persistent(solver.schedule))) {
        names.push_back(name);
      }
    } catch (const Error&) {
      // Its parameters are computed from a matrix.
    }
  }
  return names;
}

}  // namespace sparsecast
