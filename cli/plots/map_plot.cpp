#include "cli/plots/map_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_axes.hpp"
#include "cli/plots/map_isolines.hpp"
#include "cli/plots/map_levels.hpp"
#include "cli/plots/map_marks.hpp"
#include "cli/plots/round_numbers.hpp"
#include "cli/reports/map_report.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

namespace {

/// Logarithmic colours from one value to another with tics at these values. `colours` are pairs of
/// a value and a colour.
std::string colour_commands(const std::vector<std::pair<double, std::string>>& colours,
                            const std::vector<double>& at, const std::string& name) {
  std::string palette;
  for (const auto& [value, colour] : colours) {
    palette += (palette.empty() ? "" : ", ") + format_number(std::log(value), "%.6g ") +
               gnuplot_quote(colour);
  }
  std::string tics;
  for (const double value : at) {
    // The ends are of the map, and have more digits than one reads.
    const double shown = std::stod(format_number(value, "%.2e"));
    tics += (tics.empty() ? "" : ", ") + gnuplot_quote(format_number(shown, "%.4g")) +
            format_number(value, " %.6g");
  }
  return "set palette defined (" + palette + ")\nset logscale cb\nset cbrange [" +
         format_number(colours.front().first, "%.6g") + ":" +
         format_number(colours.back().first, "%.6g") + "]\nset cbtics (" + tics +
         ")\nset cblabel " + gnuplot_quote(name) + "\n";
}

/// White where it makes no difference, blue where it does harm, red where it pays.
std::string speedup_colours(const PerformanceMap& map) {
  const double low = std::min(0.5, map.smallest);
  const double top = std::max(static_cast<double>(std::max(map.request.devices, 2)), map.largest);
  std::vector<double> tics = speedup_levels(map.largest);
  constexpr double far_below = 0.1;
  if (low < far_below) tics = round_numbers(low, top, 3);
  std::erase_if(tics, [&](double at) { return at < low || at > 0.95 * top; });  // top has its own
  std::erase(tics, 1);
  tics.insert(tics.end(), {1, top});
  return colour_commands({{low, "#4393c3"},
                          {std::sqrt(low), "#92c5de"},
                          {1, "#f7f7f7"},
                          {std::sqrt(top), "#f4a582"},
                          {top, "#d6604d"}},
                         tics, "speedup");
}

std::string performance_colours(const PerformanceMap& map, const std::vector<double>& levels) {
  const std::vector<std::string> colours{"#ffffcc", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0"};
  // Where all is as fast, colours still need a range.
  const double ratio = std::max(1.01, map.largest / map.smallest);
  std::vector<std::pair<double, std::string>> pairs;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(colours.size() - 1);
    pairs.emplace_back(map.smallest * std::pow(ratio, share), colours[i]);
  }
  return colour_commands(pairs, levels, "GFlop/s");
}

/// Gnuplot commands for the map.
std::string plot_script(const PerformanceMap& map, const DeviceProfile& profile,
                        const std::vector<MapPoint>& points) {
  const MapRequest& request = map.request;
  const bool speedup = request.quantity == MapQuantity::speedup;
  std::vector<MapPoint> named;
  std::vector<MapPoint> measured;
  for (const MapPoint& point : points) (point.measured > 0 ? measured : named).push_back(point);

  const std::vector<double> values = up_to_limits(map, request.layout, map.values);
  const std::vector<double> levels = map_levels(map);
  const Isolines thin = isolines(request, values, levels);
  const Isolines one = speedup ? thick_isoline(request, values, 1) : Isolines{};

  std::string script = image_data("map", request, values) + limit_data(request) +
                       point_data("points", named) + point_data("measured", measured);
  script += thin.commands + one.commands;
  script += axes_commands(request, map_title(profile, request));
  script += speedup ? speedup_colours(map) : performance_colours(map, levels);
  script += point_labels(request, named, thin.numbers);  // those measured are too many for names
  script += "plot " + image_plot("map", request);
  for (const std::string& lines : {thin.plots, one.plots}) {
    if (!lines.empty()) script += ", " + lines;
  }
  script += ", " + limit_plots(request);
  if (!one.plots.empty()) script += ", " + thick_isoline_entry("speedup = 1");
  if (!measured.empty()) {
    script += ", $measured using 1:2 with points pt 7 ps 0.75 lc rgb 'black' notitle";
    script += ", $measured using 1:2:3 with points pt 7 ps 0.55 lc palette notitle";
    script += ", keyentry with points pt 6 ps 0.75 lc rgb 'black' title 'measured'";
  }
  if (!named.empty()) script += ", " + point_plots("points");
  return script + "\n";
}

}  // namespace

void draw_map(const std::filesystem::path& file, const PerformanceMap& map,
              const DeviceProfile& profile, const std::vector<MapPoint>& points) {
  draw_with_gnuplot(file, plot_script(map, profile, points), map_width, map_height);
}

}  // namespace sparsecast::cli
