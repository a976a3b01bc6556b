#pragma once

#include <optional>
#include <string>

#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// One of the combinations that are predicted.
struct ForecastChoice {
  Layout layout;
  int devices = 1;
  std::string schedule = algorithm1().name();
  std::optional<LaunchMode> launch{};  ///< of the traffic model's for GPUs

  /// A CPU has no launch modes: there any will do.
  LaunchMode mode() const { return launch.value_or(LaunchMode::graph); }

  friend bool operator==(const ForecastChoice&, const ForecastChoice&) = default;
};

}  // namespace sparsecast
