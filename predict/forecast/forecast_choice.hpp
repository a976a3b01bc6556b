#pragma once

#include <optional>
#include <string>

#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// Names of schedules (`cg_schedule`) with kernels of their own.
inline constexpr const char* algorithm1_name = "algorithm1";
inline constexpr const char* fused_name = "fused";
inline constexpr const char* vendor_name = "vendor";

/// One of the combinations that are predicted.
struct ForecastChoice {
  Layout layout;
  int devices = 1;
  std::string schedule = algorithm1_name;
  std::optional<LaunchMode> launch{};  ///< of the traffic model's for GPUs

  /// A CPU has no launch modes: there any will do.
  LaunchMode mode() const { return launch.value_or(LaunchMode::graph); }
};

}  // namespace sparsecast
