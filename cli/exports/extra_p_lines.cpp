#include "cli/exports/extra_p_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/text/json_text.hpp"

namespace sparsecast::cli {
namespace {

/// Unknowns, nonzeros, devices.
using Point = std::array<std::int64_t, 3>;
/// Call path and metric.
using Series = std::pair<std::string, std::string>;

Point point_of(const TimedCase& each) {
  return {std::llround(each.rows), std::llround(each.nonzeros), each.devices};
}

/// The number of devices is a parameter, and no part of the name.
Series series_of(const TimedCase& each) {
  TimedCase on_one = each;
  on_one.devices = 1;
  return {(each.solver.empty() ? "spmv->" : "iteration->") + on_one.setting(),
          each.forecast_by.empty() ? "time" : "forecast_" + each.forecast_by};
}

}  // namespace

ExtraPLines extra_p_lines(std::span<const TimedCase> cases) {
  std::map<Series, std::set<Point>> points;
  for (const TimedCase& each : cases) points[series_of(each)].insert(point_of(each));
  std::set<Point> fullest;
  for (const auto& [series, of_series] : points) {
    if (of_series.size() > fullest.size()) fullest = of_series;
  }
  const bool several_devices = std::ranges::any_of(
      cases, [&](const TimedCase& each) { return each.devices != cases.front().devices; });

  ExtraPLines lines;
  for (const auto& [series, of_series] : points) {
    if (of_series != fullest) lines.left_out.push_back(series.first + ", " + series.second);
  }
  for (const TimedCase& each : cases) {
    const Series series = series_of(each);
    if (points.at(series) != fullest) continue;
    const Point point = point_of(each);
    JsonObject parameters{{"unknowns", point[0]}, {"nonzeros", point[1]}};
    if (several_devices) parameters.add("devices", point[2]);
    lines.text += JsonObject{{"params", parameters},
                             {"callpath", series.first},
                             {"metric", series.second},
                             {"value", each.seconds / static_cast<double>(each.iterations)}}
                      .text() +
                  '\n';
  }
  return lines;
}

}  // namespace sparsecast::cli
