#pragma once

#include <span>
#include <string>

#include "core/base/text/json_text.hpp"
#include "predict/map/map_comparison.hpp"

namespace sparsecast {

/// A matrix on a comparison.
struct ComparedPoint {
  std::string name;
  double unknowns = 0;
  double elements = 0;
  PlaceComparison place;
};

/// The comparison, for other programs: `fastest[row][column]` is a profile's name,
/// `margin[row][column]` how much slower the second is, and `seconds` an object with
/// `[row][column]` of each profile; null where no matrix is, and where memory does not hold it.
JsonObject to_json(const MapComparison& comparison, std::span<const DeviceProfile> profiles,
                   std::span<const ComparedPoint> points);

}  // namespace sparsecast
