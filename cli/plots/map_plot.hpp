#pragma once

#include <filesystem>
#include <vector>

#include "cli/map_points.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {

/// Draws a map with contours and points (Figure 8). Throws as `draw_with_gnuplot` does.
void draw_map(const std::filesystem::path& file, const PerformanceMap& map,
              const DeviceProfile& profile, const std::vector<MapPoint>& points);

}  // namespace sparsecast::cli
