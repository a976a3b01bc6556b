#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {

/// The measured speedup of each matrix in a validation's raw data: fastest of ours on one device
/// over fastest on as many as the map has, in its layout and precision. Throws
/// `Error` where there is none.
std::vector<MapPoint> measured_points(const std::filesystem::path& path, const MapRequest& request);

/// The points of a CSV file, name,unknowns,elements. Throws `Error` that names file and line, also
/// for a size that one of the profiles has no matrix of.
std::vector<MapPoint> read_points(const std::filesystem::path& path,
                                  std::span<const DeviceProfile> profiles, const Layout& layout);

/// The point of a Matrix Market file, or of a features file in its place, by its name. Throws as
/// `read_matrix` and `read_features` do, and `Error` where the features lack the layout.
MapPoint matrix_point(const std::string& path, const Layout& layout);

/// Widens the map's ranges to whole decades that hold all points.
void include_points(const std::vector<MapPoint>& points, MapSizes& sizes);

}  // namespace sparsecast::cli
