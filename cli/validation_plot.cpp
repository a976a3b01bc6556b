#include "cli/validation_plot.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/gnuplot.hpp"
#include "core/error.hpp"

namespace sparsecast::cli {

namespace {

/// Dark enough for points on white, and told apart by the colour-blind.
constexpr std::array<const char*, 6> colors{"#0072b2", "#d55e00", "#009e73",
                                            "#cc79a7", "#e69f00", "#56b4e9"};

struct Panel {
  Precision precision;
  int block;

  friend auto operator<=>(const Panel&, const Panel&) = default;  // NOLINT(modernize-use-nullptr)
};

/// One number of devices in one panel.
struct Line {
  int devices;
  std::string block_name;  ///< gnuplot's name of the data
};

std::string devices_text(int devices) {
  return std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

}  // namespace

void draw_validation(const std::filesystem::path& file, std::span<const ValidationRow> rows) {
  std::map<std::string, std::int64_t> dimensions;
  std::set<Panel> panels;
  std::set<int> device_counts;
  for (const ValidationRow& row : rows) {
    if (row.renumbering != "none") continue;
    dimensions[row.matrix] = row.unknowns;
    panels.insert({row.precision, row.block});
    device_counts.insert(row.devices);
  }
  if (panels.empty()) throw Error(file.string() + ": no cases to draw");

  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [name, unknowns] : dimensions) order.emplace_back(unknowns, name);
  std::ranges::sort(order);
  std::map<std::string, int> ids;
  for (const auto& [unknowns, name] : order) ids.emplace(name, static_cast<int>(ids.size()) + 1);
  const auto matrices = static_cast<int>(ids.size());

  std::string data;
  std::map<Panel, std::vector<Line>> lines;
  double high = 0;
  for (const Panel& panel : panels) {
    for (const int devices : device_counts) {
      std::map<int, std::string> points;
      for (const ValidationRow& row : rows) {
        if (row.renumbering != "none" || row.devices != devices ||
            Panel{row.precision, row.block} != panel) {
          continue;
        }
        const double measured = effective_gflops(row, row.measured_seconds);
        const double predicted = effective_gflops(row, row.predicted_seconds);
        high = std::max({high, measured, predicted});
        const int id = ids.at(row.matrix);
        points[id] = std::to_string(id) + ' ' + std::to_string(measured) + ' ' +
                     std::to_string(predicted) + '\n';
      }
      if (points.empty()) continue;
      const std::string name = "$p" + std::to_string(lines.size()) + "_" + std::to_string(devices);
      data += name + " << EOD\n";
      for (const auto& [id, text] : points) data += text;
      data += "EOD\n";
      lines[panel].push_back({devices, name});
    }
  }

  const int columns = panels.size() > 1 ? 2 : 1;
  const int panel_rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  // Names stand under the lowest panel of each column; all panels keep the same height.
  constexpr int panel_height = 250;
  constexpr int head = 46;
  std::size_t longest_name = 0;
  for (const auto& [unknowns, name] : order) longest_name = std::max(longest_name, name.size());
  const int foot = 44 + 6 * static_cast<int>(longest_name);
  const int height = head + panel_rows * panel_height + foot;
  const int width = 100 + columns * std::max(420, 14 * matrices);

  std::string script = data;
  script += "set multiplot\nset encoding utf8\n";
  script += "set xrange [0.4:" + std::to_string(matrices) + ".6]\n";
  script += "set yrange [0:" + std::to_string(high * 1.15) + "]\n";
  script += "set grid y lc rgb '#dddddd' lt 1\nset border 3\nset tics nomirror out scale 0.4\n";
  script += "set label 1 " + gnuplot_quote("matrices in the order of their dimension") +
            " at screen 0.5, screen " + std::to_string(14.0 / height) + " center\n";
  script += "set label 2 " + gnuplot_quote("effective GFlop/s of an iteration") + " at screen " +
            std::to_string(16.0 / width) + ", screen 0.55 rotate by 90 center\n";

  int position = 0;
  for (const auto& [panel, panel_lines] : lines) {
    const int column = position % columns;
    const int row = position / columns;
    const bool lowest = position + columns >= static_cast<int>(lines.size());
    const double left = 70.0 / width + column * (width - 90.0) / width / columns;
    const double right = left + (width - 90.0) / width / columns - 60.0 / width;
    const double top = 1.0 - (head + row * panel_height + 14.0) / height;
    const double bottom = 1.0 - (head + (row + 1.0) * panel_height - 16.0) / height;
    script += "set lmargin at screen " + std::to_string(left) + "\nset rmargin at screen " +
              std::to_string(right) + "\nset tmargin at screen " + std::to_string(top) +
              "\nset bmargin at screen " + std::to_string(bottom) + "\n";
    const std::string block = std::to_string(panel.block);
    script += "set label 3 " +
              gnuplot_quote(block + " × " + block + " blocks, " +
                            std::string(to_string(panel.precision))) +
              " at graph 0.02, graph 0.93 left\n";
    script += "set xtics rotate by 90 right noenhanced font ',9' (";
    for (const auto& [unknowns, name] : order) {
      const int id = ids.at(name);
      if (id > 1) script += ", ";
      script +=
          gnuplot_quote(lowest ? name + "  " + std::to_string(id) : "") + ' ' + std::to_string(id);
    }
    script += ")\n";
    script += position == 0
                  ? "set key at screen 0.5, screen " + std::to_string(1.0 - 18.0 / height) +
                        " center maxrows 1 samplen 2\n"
                  : std::string("unset key\n");
    script += "plot ";
    for (const Line& line : panel_lines) {
      const auto color_index = static_cast<std::size_t>(
          std::distance(device_counts.begin(), device_counts.find(line.devices)));
      const std::string color = std::string("lc rgb '") + colors[color_index % colors.size()] + "'";
      if (&line != &panel_lines.front()) script += ", ";
      script += line.block_name + " using 1:3 with lines dt 2 lw 1.5 " + color + " title " +
                gnuplot_quote("predicted, " + devices_text(line.devices)) + ", " + line.block_name +
                " using 1:2 with points pt 7 ps 0.55 " + color + " title " +
                gnuplot_quote("measured, " + devices_text(line.devices));
    }
    script += "\nunset label 1\nunset label 2\n";
    ++position;
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, width, height);
}

}  // namespace sparsecast::cli
