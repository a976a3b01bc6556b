#include "cli/html/map_chart.hpp"

#include <cmath>
#include <optional>

#include "cli/html/charts.hpp"
#include "cli/plots/map_levels.hpp"

namespace sparsecast::cli {

namespace {

/// Axes in log10, in which the grid is even.
JsonObject axes(const std::string& description, const MapSizes& sizes,
                std::span<const ChartPoint> points) {
  JsonArray marks;
  for (const ChartPoint& point : points) {
    marks.add(JsonObject{{"name", point.name},
                         {"x", std::log10(point.unknowns)},
                         {"y", std::log10(point.elements)},
                         {"text", point.text}});
  }
  const auto range = [](double min, double max) {
    return JsonArray().add(std::log10(min)).add(std::log10(max));
  };
  return {{"kind", "map"},
          {"description", description},
          {"x", "unknowns"},
          {"y", sizes.layout.block_size == 1 ? "stored elements" : "elements of blocks"},
          {"x_range", range(sizes.unknowns_min, sizes.unknowns_max)},
          {"y_range", range(sizes.elements_min, sizes.elements_max)},
          {"columns", sizes.columns},
          {"rows", sizes.rows},
          {"block", sizes.layout.block_size},
          {"points", marks}};
}

JsonValue short_value(double value) {
  return std::isfinite(value) ? JsonValue(drawn_number(value)) : JsonValue();
}

}  // namespace

JsonObject map_chart(const std::string& description, const PerformanceMap& map,
                     std::span<const ChartPoint> points) {
  JsonArray values;
  for (const double value : map.values) values.add(short_value(value));
  return axes(description, map.request, points)
      .add("values", values)
      .add("levels", map_levels(map));
}

JsonObject comparison_chart(const std::string& description, const MapComparison& comparison,
                            const std::vector<std::string>& names,
                            std::span<const ChartPoint> points) {
  JsonArray fastest;
  JsonArray ratios;
  for (const PlaceComparison& place : comparison.compared) {
    fastest.add(JsonValue(place.fastest));
    ratios.add(place.margin ? short_value(1 + *place.margin) : JsonValue());
  }
  return axes(description, comparison.request, points)
      .add("fastest", fastest)
      .add("ratio", ratios)
      .add("levels", ratio_levels())
      .add("unit", " x")
      .add("names", names);
}

}  // namespace sparsecast::cli
