#pragma once

#include <vector>

#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {

/// Speedups for thin lines: steps that suit the largest, and halves; 1 has a line of its own.
std::vector<double> speedup_levels(double largest);

/// Round values between the smallest and the largest of a map, for thin lines of equal value.
std::vector<double> map_levels(const PerformanceMap& map);

}  // namespace sparsecast::cli
