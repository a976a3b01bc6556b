#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/text/json_text.hpp"
#include "predict/interval.hpp"

/// @file
/// Data of the charts that the script of a page draws, a function a kind
/// (`cli/html/web/src/charts`). `description` says in a sentence what a chart shows, for those who
/// do not see it; the `text` of a mark is what is shown beside it. A unit "s" gets the prefixes
/// that fit.

namespace sparsecast::cli {

/// An amount beside others.
struct Bar {
  std::string label;
  double value = 0;
  std::optional<Interval> interval;
  bool chosen = false;  ///< in the accent colour
  std::string text;
};
JsonObject bar_chart(const std::string& description, const std::string& axis,
                     const std::string& unit, std::span<const Bar> bars);

/// A class of a histogram.
struct HistogramColumn {
  std::string label;
  double amount = 0;
  std::string text;
};
JsonObject column_chart(const std::string& description, const std::string& axis,
                        const std::string& amounts, std::span<const HistogramColumn> columns);

/// A whole and its parts, in the order of their names.
struct StackedRow {
  struct Part {
    double share = 0;  ///< of the whole
    std::string text;
  };
  std::string label;
  std::vector<Part> parts;
};
JsonObject stacked_chart(const std::string& description, const std::string& axis,
                         const std::vector<std::string>& parts, std::span<const StackedRow> rows);

/// A line over numbers (of devices), on logarithmic axes.
struct LineSeries {
  struct Point {
    double x = 0;
    double y = 0;
    std::optional<Interval> interval;
    std::string text;
  };
  std::string name;
  std::vector<Point> points;
};
JsonObject line_chart(const std::string& description, const std::string& x, const std::string& y,
                      const std::string& unit, std::span<const LineSeries> series);

/// A number of a mark: of four digits, which are more than can be seen.
double drawn_number(double number);

/// Points of one colour, of positive numbers.
struct PointSeries {
  struct Point {
    double x = 0;
    double y = 0;
    std::string text;
  };
  std::string name;
  std::vector<Point> points;
};
/// An axis of a chart of points.
struct PointAxis {
  std::string name;
  std::string unit;
};
/// On logarithmic axes of one kind, with the line where both are equal, and 10 % to either side.
JsonObject diagonal_chart(const std::string& description, const PointAxis& x, const PointAxis& y,
                          std::span<const PointSeries> series);
/// On logarithmic axes, with the line where y is 1, and 10 % to either side.
JsonObject ratio_chart(const std::string& description, const PointAxis& x, const PointAxis& y,
                       std::span<const PointSeries> series);

}  // namespace sparsecast::cli
