#include "cli/plots/map_axes.hpp"

#include <cmath>
#include <cstddef>

#include "cli/plots/gnuplot.hpp"
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

std::string range(double min, double max) {
  return "[" + format_number(std::log10(min), "%.9g") + ":" +
         format_number(std::log10(max), "%.9g") + "]";
}

std::string scaled(const char* column, double min, double max, int count, int stride) {
  return "(" + format_number(std::log10(min), "%.9g") + "+" + column + "*" +
         format_number(stride * (std::log10(max) - std::log10(min)) / (count - 1), "%.9g") + ")";
}

}  // namespace

std::string axes_commands(const MapSizes& sizes) {
  return "set xrange " + range(sizes.unknowns_min, sizes.unknowns_max) + "\nset yrange " +
         range(sizes.elements_min, sizes.elements_max) +
         "\nset xlabel 'unknowns x'\nset ylabel 'block elements e'\nset xtics out nomirror " +
         decade_tics(sizes.unknowns_min, sizes.unknowns_max) + "\nset ytics out nomirror " +
         decade_tics(sizes.elements_min, sizes.elements_max) +
         "\nset border 3 lw 1.2\nset lmargin at screen 0.10\nset rmargin at screen 0.84\n"
         "set key bottom right reverse Left samplen 2 spacing 1.2\n";
}

std::string grid_data(const std::string& name, const MapSizes& sizes, int stride) {
  return "$" + name + " matrix using " +
         scaled("$1", sizes.unknowns_min, sizes.unknowns_max, sizes.columns, stride) + ":" +
         scaled("$2", sizes.elements_min, sizes.elements_max, sizes.rows, stride) + ":3";
}

std::string contour_commands(const std::string& name, const std::vector<double>& levels,
                             const std::string& data) {
  std::string list;
  for (const double level : levels) {
    list += (list.empty() ? "" : ",") + format_number(level, "%.9g");
  }
  return "set cntrparam levels discrete " + list + "\nset table $" + name + "\nsplot " + data +
         "\nunset table\n";
}

std::string contour_plots(const std::string& name, const std::string& format) {
  // A level's value at its 30th vertex: lines shorter than that go without.
  return "$" + name + " with lines lw 0.7 lc rgb '#606060' notitle, $" + name +
         " using 1:2:(sprintf('" + format +
         "', $3)) every 1:1:30::30 with labels font ',9' tc rgb '#606060' notitle";
}

std::string limit_plots(const MapSizes& sizes) {
  // In log10: y = 2 x and y = x + log10 N.
  const int n = sizes.layout.block_size;
  const std::string diagonal =
      n == 1 ? "diagonal, e = x" : "block diagonal, e = " + std::to_string(n) + " x";
  return "2*x with lines lw 1.5 lc rgb 'black' dt 2 title 'dense, e = x^2', x+" +
         format_number(std::log10(n), "%.9g") + " with lines lw 1.5 lc rgb 'black' dt 4 title '" +
         diagonal + "'";
}

std::string point_data(const std::string& name, const std::vector<MapPoint>& points) {
  std::string text = "$" + name + " << EOD\n";
  for (const MapPoint& point : points) {
    text += format_number(std::log10(point.unknowns), "%.6g") + ' ' +
            format_number(std::log10(point.elements), "%.6g") + ' ' +
            format_number(point.measured, "%.4g") + '\n';
  }
  return text + "EOD\n";
}

std::string point_labels(const std::vector<MapPoint>& points) {
  constexpr std::size_t most_names = 1000;
  if (points.size() > most_names) return "";
  std::string labels;
  for (const MapPoint& point : points) {
    labels += "set label " + gnuplot_quote(brief(point.name)) + " noenhanced at " +
              format_number(std::log10(point.unknowns), "%.6g") + "," +
              format_number(std::log10(point.elements), "%.6g") +
              " offset 0.7,0.4 front font ',11'\n";
  }
  return labels;
}

std::string point_plots(const std::string& name) {
  return "$" + name + " using 1:2 with points pt 7 ps 0.9 lc rgb 'black' notitle, $" + name +
         " using 1:2 with points pt 7 ps 0.5 lc rgb '#ffd92f' notitle";
}

}  // namespace sparsecast::cli
