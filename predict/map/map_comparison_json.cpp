#include "predict/map/map_comparison_json.hpp"

#include <algorithm>
#include <functional>

namespace sparsecast {

namespace {

JsonValue fastest_of(const MapComparison& comparison, const PlaceComparison& place) {
  return place.fastest ? JsonValue(comparison.profiles[*place.fastest]) : JsonValue();
}

JsonArray rows_of(const MapComparison& comparison,
                  const std::function<JsonValue(const PlaceComparison&)>& value) {
  JsonArray rows;
  for (std::size_t row = 0; row < comparison.elements.size(); ++row) {
    std::vector<JsonValue> values;
    for (std::size_t column = 0; column < comparison.unknowns.size(); ++column) {
      values.push_back(value(comparison.compared[comparison.place(row, column)]));
    }
    rows.add(values);
  }
  return rows;
}

}  // namespace

JsonObject to_json(const MapComparison& comparison, std::span<const DeviceProfile> profiles,
                   std::span<const ComparedPoint> points) {
  const ComparisonRequest& request = comparison.request;
  const bool any_curves =
      std::ranges::any_of(profiles, [](const DeviceProfile& profile) { return !profile.traffic; });
  JsonArray named;
  JsonObject seconds;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const DeviceProfile& profile = profiles[i];
    named.add(JsonObject{{"profile", profile.name},
                         {"device", profile.device},
                         {"estimated", profile.origin == DeviceProfile::Origin::estimated},
                         {"model", profile.model()}});
    seconds.add(profile.name, rows_of(comparison, [&](const PlaceComparison& place) {
                  return place.seconds.empty() ? JsonValue() : JsonValue(place.seconds[i]);
                }));
  }
  JsonArray listed;
  for (const ComparedPoint& point : points) {
    JsonObject of_each;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      of_each.add(profiles[i].name, point.place.seconds[i]);
    }
    listed.add(JsonObject{{"name", point.name},
                          {"unknowns", point.unknowns},
                          {"elements", point.elements},
                          {"fastest", fastest_of(comparison, point.place)},
                          {"margin", point.place.margin},
                          {"seconds", of_each}});
  }
  return {{"profiles", named},
          {"devices", request.devices},
          {"layout", to_string(request.layout)},
          {"precision", to_string(request.precision)},
          {"curve", any_curves ? JsonValue(to_string(request.curve)) : JsonValue()},
          {"unknowns", comparison.unknowns},
          {"elements", comparison.elements},
          {"fastest",
           rows_of(comparison,
                   [&](const PlaceComparison& place) { return fastest_of(comparison, place); })},
          {"margin", rows_of(comparison,
                             [](const PlaceComparison& place) { return JsonValue(place.margin); })},
          {"seconds", seconds},
          {"points", listed}};
}

}  // namespace sparsecast
