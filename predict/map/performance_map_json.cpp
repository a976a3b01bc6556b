#include "predict/map/performance_map_json.hpp"

namespace sparsecast {

namespace {

JsonObject to_json(const MapPoint& point) {
  return {{"name", point.name},
          {"unknowns", point.unknowns},
          {"elements", point.elements},
          {"value", point.value},
          {"measured", point.measured > 0 ? JsonValue(point.measured) : JsonValue()}};
}

}  // namespace

JsonObject to_json(const PerformanceMap& map, const DeviceProfile& profile,
                   std::span<const MapPoint> points) {
  const MapRequest& request = map.request;
  JsonObject json{{"profile", profile.name},
                  {"device", profile.device},
                  {"model", profile.model()},
                  {"estimated", profile.origin == DeviceProfile::Origin::estimated},
                  {"quantity", to_string(request.quantity)},
                  {"devices", request.devices},
                  {"layout", to_string(request.layout)},
                  {"precision", to_string(request.precision)},
                  {"curve", profile.traffic ? JsonValue() : JsonValue(to_string(request.curve))}};
  if (request.quantity == MapQuantity::effective) json.add("block_density", request.block_density);
  JsonArray rows;
  for (std::size_t row = 0; row < map.elements.size(); ++row) {
    rows.add(std::span(map.values).subspan(row * map.unknowns.size(), map.unknowns.size()));
  }
  JsonArray listed;
  for (const MapPoint& point : points) listed.add(to_json(point));
  return json.add_members({{"unknowns", map.unknowns},
                           {"elements", map.elements},
                           {"values", rows},
                           {"points", listed}});
}

}  // namespace sparsecast
