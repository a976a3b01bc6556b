#include "cli/plots/comparison_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_axes.hpp"
#include "cli/reports/comparison_report.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

namespace {

/// Okabe and Ito's, which colour-blind people can tell apart, and darker ones for black and yellow.
constexpr std::array<std::string_view, most_drawn_profiles> colours{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c6d1f", "#555555"};
constexpr std::string_view nobody = "#d0d0d0";  ///< no device's memory holds the matrix

/// A colour begins this pale, where the second is as fast.
constexpr double palest = 0.12;
/// From this ratio of times on a colour is full.
constexpr double full_ratio = 2;

/// A profile's band of the palette is from its index to the next; below 0 it is nobody's.
double palette_value(const PlaceComparison& place) {
  if (place.seconds.empty()) return std::nan("");
  if (!place.fastest) return -0.5;
  constexpr double most = 0.99;
  const double depth = place.margin ? std::log1p(*place.margin) / std::log(full_ratio) : most;
  return static_cast<double>(*place.fastest) + std::min(depth, most);
}

/// 1 where the second is as fast; nothing where there is no second.
double ratio(const PlaceComparison& place) {
  return place.margin ? 1 + *place.margin : std::nan("");
}

/// Every `stride`-th row and column as a named matrix.
std::string matrix_block(const std::string& name, const MapComparison& comparison,
                         std::size_t stride,
                         const std::function<double(const PlaceComparison&)>& value) {
  std::string text = "$" + name + " << EOD\n";
  for (std::size_t row = 0; row < comparison.elements.size(); row += stride) {
    for (std::size_t column = 0; column < comparison.unknowns.size(); column += stride) {
      const double at = value(comparison.compared[comparison.place(row, column)]);
      text += std::isnan(at) ? "NaN " : format_number(at, "%.4g ");
    }
    text += '\n';
  }
  return text + "EOD\n";
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
  std::string script = matrix_block("map", comparison, 1, palette_value) +
                       matrix_block("ratio", comparison, 1, ratio) + point_data("points", points);
  script += axes_commands(request);

  double largest = 0;
  for (const PlaceComparison& place : comparison.compared) {
    largest = std::max(largest, place.margin.value_or(0) + 1);
  }
  std::vector<double> levels;
  for (const double level : {1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    if (level < largest) levels.push_back(level);
  }
  if (!levels.empty()) {
    script += "set contour base\nunset surface\n" +
              contour_commands("thin", levels, grid_data("ratio", request, 1)) +
              "unset contour\nset surface\n";
  }

  std::string palette = "-1 '" + std::string(nobody) + "', -0.001 '" + std::string(nobody) + "'";
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    palette += ", " + std::to_string(i) + " '" + pale(colours[i], palest) + "', " +
               std::to_string(i) + ".999 '" + std::string(colours[i]) + "'";
  }
  script += "set palette maxcolors 0\nset palette defined (" + palette +
            ")\nset cbrange [-1:" + std::to_string(profiles.size()) + "]\nunset colorbox\n";
  script += "set title " + gnuplot_quote(comparison_title(comparison, profiles)) + " noenhanced\n";
  script += "set rmargin at screen 0.92\n";
  script +=
      R"(set label "lines: time of the second\nover that of the fastest" at graph 0.01, 0.98 font ',11')"
      "\n";
  script += point_labels(points);
  script += "plot " + grid_data("map", request, 1) + " with image notitle";
  if (!levels.empty()) script += ", " + contour_plots("thin", "%g x");
  script += ", " + limit_plots(request);
  const auto key = [&](std::string_view colour, const std::string& title) {
    script += ", NaN with points pt 5 ps 1.6 lc rgb '" + std::string(colour) + "' title " +
              gnuplot_quote(title) + " noenhanced";
  };
  for (std::size_t i = 0; i < profiles.size(); ++i) key(colours[i], compared_name(profiles[i]));
  if (std::ranges::any_of(comparison.compared, [](const PlaceComparison& place) {
        return !place.seconds.empty() && !place.fastest;
      })) {
    key(nobody, "fits none");
  }
  if (!points.empty()) script += ", " + point_plots("points");
  draw_with_gnuplot(file, script + "\n", 900, 640);
}

}  // namespace sparsecast::cli
