#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {

/// As many profiles can be told apart by their colours.
inline constexpr std::size_t most_drawn_profiles = 8;

/// Draws which profile is the fastest at each place: a colour each, the paler the closer the second
/// comes, with lines where it takes 1.1, 1.5, 2, ... times as long, and points. Throws as
/// `draw_with_gnuplot` does.
void draw_comparison(const std::filesystem::path& file, const MapComparison& comparison,
                     std::span<const DeviceProfile> profiles, const std::vector<MapPoint>& points);

}  // namespace sparsecast::cli
