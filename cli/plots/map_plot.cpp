#include "cli/plots/map_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "cli/plots/gnuplot.hpp"
#include "cli/plots/map_axes.hpp"
#include "cli/reports/map_report.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

namespace {

/// Every `stride`-th row and column of the map as a named matrix.
std::string matrix_block(const std::string& name, const PerformanceMap& map, std::size_t stride) {
  std::string text = "$" + name + " << EOD\n";
  for (std::size_t row = 0; row < map.elements.size(); row += stride) {
    for (std::size_t column = 0; column < map.unknowns.size(); column += stride) {
      const double value = map.value(row, column);
      text += std::isnan(value) ? "NaN " : format_number(value, "%.4g ");
    }
    text += '\n';
  }
  return text + "EOD\n";
}

/// Gnuplot commands for the map.
std::string plot_script(const PerformanceMap& map, const DeviceProfile& profile,
                        const std::vector<MapPoint>& points) {
  const MapRequest& request = map.request;
  const bool speedup = request.quantity == MapQuantity::speedup;
  std::vector<MapPoint> named;
  std::vector<MapPoint> measured;
  for (const MapPoint& point : points) (point.measured > 0 ? measured : named).push_back(point);

  // Contours are straight from point to point and need no more than every second one; with all,
  // gnuplot takes most of its time for them.
  std::string script = matrix_block("map", map, 1) + matrix_block("coarse", map, 2);
  script += point_data("points", named) + point_data("measured", measured);
  script += axes_commands(request);
  const std::vector<double> levels = map_levels(map);
  const std::string coarse = grid_data("coarse", request, 2);
  script += "set contour base\nunset surface\n";
  if (!levels.empty()) script += contour_commands("thin", levels, coarse);
  const bool crosses_one = speedup && map.smallest < 1 && map.largest > 1;
  if (crosses_one) script += contour_commands("one", {1.0}, coarse);
  script += "unset contour\nset surface\n";

  script += "set title " + gnuplot_quote(map_title(profile, request)) + " noenhanced\n";
  if (speedup) {
    // White where it makes no difference, blue where it does harm, red where it pays.
    const double top = std::max(static_cast<double>(std::max(request.devices, 2)), map.largest);
    script += "set palette defined (0 '#2166ac', 0.5 '#92c5de', 1 '#f7f7f7', " +
              format_number((1 + top) / 2, "%.6g") + " '#f4a582', " + format_number(top, "%.6g") +
              " '#b2182b')\nset cbrange [0:" + format_number(top, "%.6g") + "]\n";
    script += "set cblabel 'speedup'\n";
  } else {
    script +=
        "set palette defined (0 '#ffffd9', 1 '#edf8b1', 2 '#c7e9b4', 3 '#7fcdbb', "
        "4 '#41b6c4', 5 '#1d91c0')\nset cbrange [0:*]\nset cblabel 'GFlop/s'\n";
  }
  script += point_labels(named);  // those measured are too many for names
  script += "plot " + grid_data("map", request, 1) + " with image notitle";
  if (!levels.empty()) script += ", " + contour_plots("thin", "%g");
  script += ", " + limit_plots(request);
  if (crosses_one) script += ", $one with lines lw 4 lc rgb 'black' title 'speedup = 1'";
  if (!measured.empty()) {
    script += ", $measured using 1:2 with points pt 7 ps 0.75 lc rgb 'black' notitle";
    script += ", $measured using 1:2:3 with points pt 7 ps 0.55 lc palette title 'measured'";
  }
  if (!named.empty()) script += ", " + point_plots("points");
  return script + "\n";
}

}  // namespace

void draw_map(const std::filesystem::path& file, const PerformanceMap& map,
              const DeviceProfile& profile, const std::vector<MapPoint>& points) {
  draw_with_gnuplot(file, plot_script(map, profile, points), 900, 640);
}

}  // namespace sparsecast::cli
