#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/map_points.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/performance_map.hpp"

namespace sparsecast::cli {

/// What the map shows, for people: one line.
std::string map_title(const DeviceProfile& profile, const MapRequest& request);

/// A line for every size that a matrix can have, under a header.
std::string map_as_csv(const PerformanceMap& map);

/// The map for other programs: `values[row][column]`, null where no matrix is. A value a point.
nlohmann::ordered_json map_as_json(const PerformanceMap& map, const DeviceProfile& profile,
                                   const std::vector<MapPoint>& points,
                                   const std::vector<double>& point_values);

/// Title, range and a table of the points.
void print_map(const PerformanceMap& map, const DeviceProfile& profile,
               const std::vector<MapPoint>& points, const std::vector<double>& point_values,
               std::ostream& out);

}  // namespace sparsecast::cli
