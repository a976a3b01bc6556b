#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/table.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {

/// What the map shows, for people: one line.
std::string map_title(const DeviceProfile& profile, const MapRequest& request);

/// Stands before a table of matrices whose patterns were guessed.
inline constexpr std::string_view of_sizes_alone =
    "Matrices by their sizes alone; predict reads their patterns";

/// A line for every size that a matrix can have, under a header.
std::string map_as_csv(const PerformanceMap& map);

/// Title, range and a table of the points.
void print_map(const PerformanceMap& map, const DeviceProfile& profile,
               const std::vector<MapPoint>& points, TableStyle style, std::ostream& out);

}  // namespace sparsecast::cli
