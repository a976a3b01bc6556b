#pragma once

#include <vector>

#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {

/// Speedups for thin lines: steps that suit the largest, and halves; 1 has a line of its own.
std::vector<double> speedup_levels(double largest);

/// Round values between the smallest and the largest of a map, for thin lines of equal value.
std::vector<double> map_levels(const PerformanceMap& map);

/// Ratios of the second fastest's time to the fastest's, for thin lines of a comparison.
std::vector<double> ratio_levels();

}  // namespace sparsecast::cli
