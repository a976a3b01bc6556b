#include "cli/plots/comparison_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "cli/plots/colours.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_axes.hpp"
#include "cli/plots/map_isolines.hpp"
#include "cli/plots/map_levels.hpp"
#include "cli/plots/map_marks.hpp"
#include "cli/reports/comparison_report.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/text_fields.hpp"
#include "predict/marked_name.hpp"

namespace sparsecast::cli {

namespace {

static_assert(most_drawn_profiles <= colours.size());
constexpr std::string_view nobody = "#d0d0d0";  ///< no device's memory holds the matrix

/// A colour begins this pale, where the second is as fast.
constexpr double palest = 0.12;
/// From this ratio of times on a colour is full.
constexpr double full_ratio = 2;

/// A profile's band of the palette is from its index to the next, with something of one colour at
/// both ends, where values are rounded; below 0 it is nobody's.
constexpr double band_begin = 0.1;
constexpr double band_end = 0.9;

double palette_value(const PlaceComparison& place) {
  if (place.seconds.empty()) return std::nan("");
  if (!place.fastest) return -0.5;
  const double depth =
      place.margin ? std::min(std::log1p(*place.margin) / std::log(full_ratio), 1.0) : 1;
  return static_cast<double>(*place.fastest) + band_begin + depth * (band_end - band_begin);
}

/// 1 where the second is as fast; nothing where there is no second.
double ratio(const PlaceComparison& place) {
  return place.margin ? 1 + *place.margin : std::nan("");
}

std::vector<double> values_of(const MapComparison& comparison,
                              double (*value)(const PlaceComparison&)) {
  std::vector<double> values;
  for (const PlaceComparison& place : comparison.compared) values.push_back(value(place));
  return up_to_limits(comparison, comparison.request.layout, values);
}

/// A colour mixed with white.
std::string pale(std::string_view colour, double share) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (std::size_t at = 1; at < colour.size(); at += 2) {
    const int full = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16);
    const auto value = static_cast<std::size_t>(std::lround(255 + share * (full - 255)));
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

}  // namespace

void draw_comparison(const std::filesystem::path& file, const MapComparison& comparison,
                     std::span<const DeviceProfile> profiles, const std::vector<MapPoint>& points) {
  const ComparisonRequest& request = comparison.request;
  std::string script = image_data("map", request, values_of(comparison, palette_value)) +
                       limit_data(request) + point_data("points", points) +
                       axes_commands(request, comparison_title(comparison, profiles));
  const Isolines lines = isolines(request, values_of(comparison, ratio), ratio_levels(), " x");
  script += lines.commands;
  std::string palette = "-1 '" + std::string(nobody) + "', -0.001 '" + std::string(nobody) + "'";
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto begin = static_cast<double>(i);
    const std::string least = " '" + pale(colours[i], palest) + "'";
    const std::string most = " '" + std::string(colours[i]) + "'";
    palette += ", " + format_number(begin, "%g") + least + ", " +
               format_number(begin + band_begin, "%g") + least + ", " +
               format_number(begin + band_end, "%g") + most + ", " +
               format_number(begin + 0.999, "%.3f") + most;
  }
  script += "set palette maxcolors 0\nset palette defined (" + palette +
            ")\nset cbrange [-1:" + std::to_string(profiles.size()) + "]\nunset colorbox\n";
  script += "set rmargin at screen 0.92\n";
  script +=
      R"(set label "lines: time of the second\nover that of the fastest" at graph 0.01, 0.98 front font ',13')"
      "\n";
  script += point_labels(request, points, lines.numbers);
  script += "plot " + image_plot("map", request);
  if (!lines.plots.empty()) script += ", " + lines.plots;
  script += ", " + limit_plots(request);
  const auto key = [&](std::string_view colour, const std::string& title) {
    script += ", NaN with points pt 5 ps 1.6 lc rgb '" + std::string(colour) + "' title " +
              gnuplot_quote(brief(title));
  };
  for (std::size_t i = 0; i < profiles.size(); ++i) key(colours[i], marked_name(profiles[i]));
  if (std::ranges::any_of(comparison.compared, [](const PlaceComparison& place) {
        return !place.seconds.empty() && !place.fastest;
      })) {
    key(nobody, "fits none");
  }
  if (!points.empty()) script += ", " + point_plots("points");
  draw_with_gnuplot(file, script + "\n", map_width, map_height);
}

}  // namespace sparsecast::cli
