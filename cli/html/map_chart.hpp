#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/text/json_text.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/performance_map.hpp"

/// @file
/// Charts of all sizes of matrices, unknowns to the right and elements upwards (Figure 8), with
/// matrices as points.

namespace sparsecast::cli {

/// A matrix on a chart.
struct ChartPoint {
  std::string name;
  double unknowns = 0;
  double elements = 0;
  std::string text;
};

/// Values by how dark they are, with lines of equal value.
JsonObject map_chart(const std::string& description, const PerformanceMap& map,
                     std::span<const ChartPoint> points);

/// Which profile is the fastest, paler the closer the second comes, with lines of equal ratio of
/// the second's time to the fastest's; `names` of the profiles.
JsonObject comparison_chart(const std::string& description, const MapComparison& comparison,
                            const std::vector<std::string>& names,
                            std::span<const ChartPoint> points);

}  // namespace sparsecast::cli
