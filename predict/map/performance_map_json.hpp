#pragma once

#include <span>
#include <string>

#include "core/base/text/json_text.hpp"
#include "predict/map/performance_map.hpp"

namespace sparsecast {

/// The map of a profile, and matrices on it, for other programs: `values[row][column]`, null where
/// no matrix is.
JsonObject to_json(const PerformanceMap& map, const DeviceProfile& profile,
                   std::span<const MapPoint> points);

}  // namespace sparsecast
