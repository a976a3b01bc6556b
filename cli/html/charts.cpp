#include "cli/html/charts.hpp"

#include <cstdlib>

#include "core/base/text/short_number.hpp"

namespace sparsecast::cli {

namespace {

JsonObject chart(const char* kind, const std::string& description) {
  return {{"kind", kind}, {"description", description}};
}

/// With the ends of an interval, if it has one.
JsonObject with_interval(JsonObject mark, const std::optional<Interval>& interval) {
  if (interval) mark.add("low", interval->low).add("high", interval->high);
  return mark;
}

JsonObject point_chart(const std::string& description, const PointAxis& x, const PointAxis& y,
                       std::span<const PointSeries> series) {
  JsonArray all;
  for (const PointSeries& each : series) {
    JsonArray points;
    for (const PointSeries::Point& point : each.points) {
      points.add(JsonArray().add(drawn_number(point.x)).add(drawn_number(point.y)).add(point.text));
    }
    all.add(JsonObject{{"name", each.name}, {"points", points}});
  }
  return chart("scatter", description)
      .add("x", x.name)
      .add("x_unit", x.unit)
      .add("y", y.name)
      .add("y_unit", y.unit)
      .add("series", all);
}

}  // namespace

double drawn_number(double number) {
  return std::strtod(short_number(number, 4).c_str(), nullptr);
}

JsonObject bar_chart(const std::string& description, const std::string& axis,
                     const std::string& unit, std::span<const Bar> bars) {
  JsonArray all;
  for (const Bar& bar : bars) {
    const JsonObject mark{
        {"label", bar.label}, {"value", bar.value}, {"chosen", bar.chosen}, {"text", bar.text}};
    all.add(with_interval(mark, bar.interval));
  }
  return chart("bars", description).add("axis", axis).add("unit", unit).add("bars", all);
}

JsonObject column_chart(const std::string& description, const std::string& axis,
                        const std::string& amounts, std::span<const HistogramColumn> columns) {
  JsonArray all;
  for (const HistogramColumn& column : columns) {
    all.add(JsonObject{{"label", column.label}, {"value", column.amount}, {"text", column.text}});
  }
  return chart("columns", description)
      .add("axis", axis)
      .add("amounts", amounts)
      .add("columns", all);
}

JsonObject stacked_chart(const std::string& description, const std::string& axis,
                         const std::vector<std::string>& parts, std::span<const StackedRow> rows) {
  JsonArray all;
  for (const StackedRow& row : rows) {
    JsonArray of_row;
    for (const StackedRow::Part& part : row.parts) {
      of_row.add(JsonObject{{"share", part.share}, {"text", part.text}});
    }
    all.add(JsonObject{{"label", row.label}, {"parts", of_row}});
  }
  return chart("stacked", description).add("axis", axis).add("parts", parts).add("rows", all);
}

JsonObject line_chart(const std::string& description, const std::string& x, const std::string& y,
                      const std::string& unit, std::span<const LineSeries> series) {
  JsonArray all;
  for (const LineSeries& each : series) {
    JsonArray points;
    for (const LineSeries::Point& point : each.points) {
      const JsonObject mark{{"x", point.x}, {"y", point.y}, {"text", point.text}};
      points.add(with_interval(mark, point.interval));
    }
    all.add(JsonObject{{"name", each.name}, {"points", points}});
  }
  return chart("lines", description).add("x", x).add("y", y).add("unit", unit).add("series", all);
}

JsonObject diagonal_chart(const std::string& description, const PointAxis& x, const PointAxis& y,
                          std::span<const PointSeries> series) {
  return point_chart(description, x, y, series).add("diagonal", true);
}

JsonObject ratio_chart(const std::string& description, const PointAxis& x, const PointAxis& y,
                       std::span<const PointSeries> series) {
  return point_chart(description, x, y, series).add("level", 1);
}

}  // namespace sparsecast::cli
