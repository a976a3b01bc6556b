#include "cli/plots/map_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "cli/plots/gnuplot.hpp"
#include "cli/reports/map_report.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {

namespace {

/// Tics of an axis in log10: decades with their power, minor ones at 2 to 9.
std::string decade_tics(double min, double max) {
  std::string tics;
  const int first = static_cast<int>(std::floor(std::log10(min) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(max) - 1e-9));
  for (int decade = first; decade <= last; ++decade) {
    tics += (tics.empty() ? "" : ", ") + std::string("'10^{") + std::to_string(decade) + "}' " +
            std::to_string(decade);
    for (int digit = 2; digit <= 9 && decade < last; ++digit) {
      tics += ", '' " + format_number(decade + std::log10(digit), "%.5f") + " 1";
    }
  }
  return "(" + tics + ")";
}

/// Round values between the smallest and the largest for thin lines: 1, 2, 5, 10, ... GFlop/s, or
/// steps of speedup.
std::vector<double> contour_levels(const PerformanceMap& map) {
  std::vector<double> levels;
  if (map.request.quantity == MapQuantity::speedup) {
    const double step = map.largest > 4 ? 1 : map.largest > 2 ? 0.5 : 0.25;
    for (double level = step; level < map.largest; level += step) {
      if (std::abs(level - 1) > 1e-9) levels.push_back(level);
    }
    return levels;
  }
  for (int decade = -4; decade <= 6; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double level = digit * std::pow(10, decade);
      if (level > map.smallest && level < map.largest) levels.push_back(level);
    }
  }
  if (levels.size() > 8) levels.erase(levels.begin(), levels.end() - 8);  // thin lines stay apart
  return levels;
}

std::string contour_commands(const std::string& name, const std::vector<double>& levels,
                             const std::string& grid) {
  std::string list;
  for (const double level : levels) {
    list += (list.empty() ? "" : ",") + format_number(level, "%.9g");
  }
  return "set cntrparam levels discrete " + list + "\nset table $" + name + "\nsplot " + grid +
         "\nunset table\n";
}

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

/// Gnuplot commands for the map. Axes are in log10, where the grid is even and can be an image.
std::string plot_script(const PerformanceMap& map, const DeviceProfile& profile,
                        const std::vector<MapPoint>& points) {
  const MapRequest& request = map.request;
  const double x_min = std::log10(request.unknowns_min);
  const double x_max = std::log10(request.unknowns_max);
  const double y_min = std::log10(request.elements_min);
  const double y_max = std::log10(request.elements_max);
  const bool speedup = request.quantity == MapQuantity::speedup;

  // Contours are straight from point to point and need no more than every second one; with all,
  // gnuplot takes most of its time for them.
  std::string script = matrix_block("map", map, 1) + matrix_block("coarse", map, 2);
  script += "$points << EOD\n";
  for (const MapPoint& point : points) {
    if (point.measured > 0) continue;
    script += format_number(std::log10(point.unknowns), "%.6g") + ' ' +
              format_number(std::log10(point.elements), "%.6g") + '\n';
  }
  script += "EOD\n$measured << EOD\n";
  for (const MapPoint& point : points) {
    if (!(point.measured > 0)) continue;
    script += format_number(std::log10(point.unknowns), "%.6g") + ' ' +
              format_number(std::log10(point.elements), "%.6g") + ' ' +
              format_number(point.measured, "%.4g") + '\n';
  }
  script += "EOD\n";
  const bool any_measured =
      std::ranges::any_of(points, [](const MapPoint& p) { return p.measured > 0; });
  const bool any_named =
      std::ranges::any_of(points, [](const MapPoint& p) { return !(p.measured > 0); });

  const auto scaled = [](const char* column, double min, double max, int count, int stride) {
    return "(" + format_number(min, "%.9g") + "+" + column + "*" +
           format_number(stride * (max - min) / (count - 1), "%.9g") + ")";
  };
  const auto grid = [&](const std::string& name, int stride) {
    return "$" + name + " matrix using " + scaled("$1", x_min, x_max, request.columns, stride) +
           ":" + scaled("$2", y_min, y_max, request.rows, stride) + ":3";
  };
  const std::string range =
      "[" + format_number(x_min, "%.9g") + ":" + format_number(x_max, "%.9g") + "]";
  script += "set xrange " + range + "\nset yrange [" + format_number(y_min, "%.9g") + ":" +
            format_number(y_max, "%.9g") + "]\n";
  const std::vector<double> levels = contour_levels(map);
  script += "set contour base\nunset surface\n";
  if (!levels.empty()) script += contour_commands("thin", levels, grid("coarse", 2));
  const bool crosses_one = speedup && map.smallest < 1 && map.largest > 1;
  if (crosses_one) script += contour_commands("one", {1.0}, grid("coarse", 2));
  script += "unset contour\nset surface\n";

  script += "set title " + gnuplot_quote(map_title(profile, request)) + " noenhanced\n";
  script += "set xlabel 'unknowns x'\nset ylabel 'block elements e'\n";
  script += "set xtics out nomirror " + decade_tics(request.unknowns_min, request.unknowns_max) +
            "\nset ytics out nomirror " + decade_tics(request.elements_min, request.elements_max) +
            "\n";
  script += "set border 3 lw 1.2\nset lmargin at screen 0.10\nset rmargin at screen 0.84\n";
  script += "set key bottom right reverse Left samplen 2 spacing 1.2\n";
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
  // The limits in log10: y = 2 x and y = x + log10 N.
  const std::string shift = format_number(std::log10(request.layout.block_size), "%.9g");
  const std::string n = std::to_string(request.layout.block_size);
  const std::string diagonal_name =
      request.layout.block_size == 1 ? "diagonal, e = x" : "block diagonal, e = " + n + " x";
  // More would hide the map, and keep gnuplot busy for minutes.
  constexpr std::ptrdiff_t most_names = 1000;
  const bool few = std::ranges::count(points, 0.0, &MapPoint::measured) <= most_names;
  for (const MapPoint& point : points) {
    if (!few || point.measured > 0) continue;  // those measured are too many for names
    script += "set label " + gnuplot_quote(brief(point.name)) + " noenhanced at " +
              format_number(std::log10(point.unknowns), "%.6g") + "," +
              format_number(std::log10(point.elements), "%.6g") +
              " offset 0.7,0.4 front font ',11'\n";
  }
  script += "plot " + grid("map", 1) + " with image notitle";
  if (!levels.empty()) {
    script += ", $thin with lines lw 0.7 lc rgb '#606060' notitle";
    // A level's value at its 30th vertex: lines shorter than that go without.
    script +=
        ", $thin using 1:2:(sprintf('%g', $3)) every 1:1:30::30 with labels font ',9' "
        "tc rgb '#606060' notitle";
  }
  script += ", 2*x with lines lw 1.5 lc rgb 'black' dt 2 title 'dense, e = x^2'";
  script += ", x+" + shift + " with lines lw 1.5 lc rgb 'black' dt 4 title '" + diagonal_name + "'";
  if (crosses_one) script += ", $one with lines lw 4 lc rgb 'black' title 'speedup = 1'";
  if (any_measured) {
    script += ", $measured using 1:2 with points pt 7 ps 0.75 lc rgb 'black' notitle";
    script += ", $measured using 1:2:3 with points pt 7 ps 0.55 lc palette title 'measured'";
  }
  if (any_named) {
    script += ", $points using 1:2 with points pt 7 ps 0.9 lc rgb 'black' notitle";
    script += ", $points using 1:2 with points pt 7 ps 0.5 lc rgb '#ffd92f' notitle";
  }
  return script + "\n";
}

}  // namespace

void draw_map(const std::filesystem::path& file, const PerformanceMap& map,
              const DeviceProfile& profile, const std::vector<MapPoint>& points) {
  draw_with_gnuplot(file, plot_script(map, profile, points), 900, 640);
}

}  // namespace sparsecast::cli
