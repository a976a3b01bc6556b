#include "cli/exports/extra_p_lines.hpp"

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/text/json_text.hpp"

namespace sparsecast::cli {
namespace {

/// What varies from point to point.
struct Parameters {
  bool nonzeros = true;
  bool devices = false;
};

/// Nonzeros, devices.
using Point = std::pair<std::int64_t, std::int64_t>;
/// Call path and metric.
using Series = std::pair<std::string, std::string>;
using PointsOfSeries = std::map<Series, std::set<Point>>;

/// "-rcm" of an order that is not the matrix's own.
std::string order_text(const TimedCase& each) {
  return each.order.empty() ? "" : '-' + each.order;
}

/// The number of devices is a parameter, or a part of the name.
Point point_of(const TimedCase& each, const Parameters& parameters) {
  return {std::llround(each.nonzeros), parameters.devices ? each.devices : 1};
}
Series series_of(const TimedCase& each, const Parameters& parameters) {
  TimedCase named = each;
  if (parameters.devices) named.devices = 1;
  return {(each.solver.empty() ? "spmv->" : "iteration->") + named.setting() + order_text(each),
          each.forecast_by.empty() ? "time" : "forecast_" + each.forecast_by};
}

PointsOfSeries points_of(std::span<const TimedCase> cases, const Parameters& parameters) {
  PointsOfSeries points;
  for (const TimedCase& each : cases) {
    points[series_of(each, parameters)].insert(point_of(each, parameters));
  }
  return points;
}

std::set<Point> fullest_of(const PointsOfSeries& points) {
  std::set<Point> fullest;
  for (const auto& [series, of_series] : points) {
    if (of_series.size() > fullest.size()) fullest = of_series;
  }
  return fullest;
}

struct Extent {
  std::set<std::int64_t> nonzeros;
  std::set<std::int64_t> devices;
};

Extent extent_of(const std::set<Point>& points) {
  Extent extent;
  for (const auto& [nonzeros, devices] : points) {
    extent.nonzeros.insert(nonzeros);
    extent.devices.insert(devices);
  }
  return extent;
}

Parameters parameters_of(std::span<const TimedCase> cases) {
  const std::set<Point> points = fullest_of(points_of(cases, {.nonzeros = true, .devices = true}));
  const Extent extent = extent_of(points);
  const bool grid = points.size() == extent.nonzeros.size() * extent.devices.size();
  if (!grid || extent.devices.size() < 2) return {};
  return {.nonzeros = extent.nonzeros.size() > 1, .devices = true};
}

std::vector<std::string> short_lines_of(const std::set<Point>& points,
                                        const Parameters& parameters) {
  const Extent extent = extent_of(points);
  std::vector<std::string> texts;
  const auto add = [&](bool parameter, const std::set<std::int64_t>& values, const char* name,
                       const char* how) {
    if (!parameter || values.size() >= ExtraPLines::fewest_points) return;
    texts.push_back(std::to_string(values.size()) + " of " + name + " (" + how + ')');
  };
  add(parameters.nonzeros, extent.nonzeros, "nonzeros",
      "put lines of matrices of other sizes into the file");
  add(parameters.devices, extent.devices, "devices", "give more numbers of them");
  return texts;
}

}  // namespace

ExtraPLines extra_p_lines(std::span<const TimedCase> cases) {
  const Parameters parameters = parameters_of(cases);
  const PointsOfSeries points = points_of(cases, parameters);
  const std::set<Point> fullest = fullest_of(points);

  ExtraPLines lines;
  lines.series = points.size();
  for (const auto& [series, of_series] : points) {
    if (of_series != fullest) lines.left_out.push_back(series.first + ", " + series.second);
  }
  lines.short_lines = short_lines_of(fullest, parameters);
  for (const TimedCase& each : cases) {
    const Series series = series_of(each, parameters);
    if (points.at(series) != fullest) continue;
    const auto [nonzeros, devices] = point_of(each, parameters);
    JsonObject values;
    if (parameters.nonzeros) values.add("nonzeros", nonzeros);
    if (parameters.devices) values.add("devices", devices);
    lines.text += JsonObject{{"params", values},
                             {"callpath", series.first},
                             {"metric", series.second},
                             {"value", each.seconds}}
                      .text() +
                  '\n';
  }
  return lines;
}

}  // namespace sparsecast::cli
