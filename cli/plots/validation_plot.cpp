#include "cli/plots/validation_plot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/plots/gnuplot.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "model/working_set.hpp"

namespace sparsecast::cli {

namespace {

/// Dark enough for points on white, and told apart by the colour-blind.
constexpr std::array<const char*, 6> colors{"#0072b2", "#d55e00", "#009e73",
                                            "#cc79a7", "#e69f00", "#56b4e9"};

struct Panel {
  Precision precision;
  std::size_t layout;  ///< `layout_index`

  friend auto operator<=>(const Panel&, const Panel&) = default;  // NOLINT(modernize-use-nullptr)
};

Panel panel_of(const ValidationRow& row) {
  return {row.precision, layout_index(row.layout)};
}

/// One number of devices in one panel.
struct Line {
  int devices;
  std::string block_name;  ///< gnuplot's name of the data
};

std::string devices_text(int devices) {
  return std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

std::string solver_of(const ValidationRow& row) {
  return row.launch.empty() ? row.schedule : row.schedule + ' ' + row.launch;
}

/// The cases of one solver on matrices as they were given.
std::vector<ValidationRow> figure10_cases(std::span<const ValidationRow> all) {
  const auto rank = [](const ValidationRow& row) {
    const int schedule = row.schedule == algorithm1().name() ? 0
                         : row.schedule == product_alone     ? 2
                                                             : 1;
    return std::tuple(schedule, row.launch.empty() || row.launch == "graph" ? 0 : 1,
                      solver_of(row));
  };
  if (all.empty()) return {};
  const std::string solver = solver_of(*std::ranges::min_element(all, {}, rank));
  const bool files = std::ranges::any_of(all, [](const auto& row) { return !row.generated; });
  std::vector<ValidationRow> rows;
  std::ranges::copy_if(all, std::back_inserter(rows), [&](const ValidationRow& row) {
    return row.renumbering == "none" && solver_of(row) == solver && row.generated != files;
  });
  return rows;
}

}  // namespace

void draw_validation(const std::filesystem::path& file, std::span<const ValidationRow> all) {
  const std::vector<ValidationRow> rows = figure10_cases(all);
  std::map<std::string, std::int64_t> dimensions;
  std::set<Panel> panels;
  std::set<int> device_counts;
  for (const ValidationRow& row : rows) {
    dimensions[row.matrix] = row.unknowns;
    panels.insert(panel_of(row));
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
        if (row.devices != devices || panel_of(row) != panel) {
          continue;
        }
        const double measured = effective_gflops(row, row.measured_seconds);
        const double predicted =
            row.predicted_seconds > 0 ? effective_gflops(row, row.predicted_seconds) : 0;
        high = std::max({high, measured, predicted});
        const int id = ids.at(row.matrix);
        points[id] = std::to_string(id) + ' ' + std::to_string(measured) + ' ' +
                     (predicted > 0 ? std::to_string(predicted) : "NaN") + '\n';
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
    script += "set label 3 " +
              gnuplot_quote(to_string(all_layouts()[panel.layout]) + ", " +
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

void draw_forecasts(const std::filesystem::path& file, std::span<const ValidationRow> rows) {
  struct Stratum {
    std::string name;
    std::map<std::string, std::string> points;  ///< by solver
    double least = 0;
    double most = 0;
  };
  std::vector<Stratum> strata;
  std::set<std::string> solvers;
  double from = 0;
  for (const auto& [name, below] : working_set_strata()) {
    Stratum stratum{std::string(name), {}, 0, 0};
    for (const ValidationRow& row : rows) {
      const bool inside = row.working_set_bytes >= from && row.working_set_bytes < below;
      if (!inside || !(row.predicted_seconds > 0)) continue;
      std::array<char, 64> line{};
      std::snprintf(line.data(), line.size(), "%.5g %.5g\n", 1e6 * row.measured_seconds,
                    1e6 * row.predicted_seconds);
      stratum.points[solver_of(row)] += line.data();
      solvers.insert(solver_of(row));
      const auto [low, high] = std::minmax(row.measured_seconds, row.predicted_seconds);
      stratum.least = stratum.least > 0 ? std::min(stratum.least, low) : low;
      stratum.most = std::max(stratum.most, high);
    }
    from = below;
    if (!stratum.points.empty()) strata.push_back(std::move(stratum));
  }
  if (strata.empty()) throw Error(file.string() + ": no case with a forecast to draw");

  std::string script = "set encoding utf8\n";
  for (std::size_t i = 0; i < strata.size(); ++i) {
    for (const auto& [solver, points] : strata[i].points) {
      const auto number = std::distance(solvers.begin(), solvers.find(solver));
      script +=
          "$s" + std::to_string(i) + '_' + std::to_string(number) + " << EOD\n" + points + "EOD\n";
    }
  }
  const int panel_rows = strata.size() > 2 ? 2 : 1;
  const int columns = strata.size() > 1 ? 2 : 1;
  script += "set multiplot layout " + std::to_string(panel_rows) + ',' + std::to_string(columns) +
            " margins 0.09,0.97,0.1,0.9 spacing 0.1,0.13\n";
  script += "set logscale xy\nset grid lc rgb '#dddddd' lt 1\nset border 3\n";
  script += "set tics nomirror out scale 0.4\nset format xy '%g'\n";
  script += "set label 1 'measured, µs' at screen 0.5, screen 0.025 center\n";
  script += "set label 2 'predicted, µs' at screen 0.02, screen 0.5 rotate by 90 center\n";
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const Stratum& stratum = strata[i];
    const std::string range = '[' + std::to_string(0.8e6 * stratum.least) + ':' +
                              std::to_string(1.25e6 * stratum.most) + "]\n";
    script += "set xrange " + range + "set yrange " + range;
    script += "set title " + gnuplot_quote("working set " + stratum.name) + " offset 0,-0.6\n";
    script +=
        i == 0 ? "set key at screen 0.5, screen 0.985 center maxrows 1 samplen 1\n" : "unset key\n";
    script +=
        "plot x lc rgb '#444444' lw 1 notitle, 0.9*x dt 3 lc rgb '#888888' notitle, 1.1*x dt "
        "3 lc rgb '#888888' notitle";
    // Every panel names every solver, so that the first one's key has them all.
    for (const std::string& solver : solvers) {
      const auto number = std::distance(solvers.begin(), solvers.find(solver));
      const std::string color = colors[static_cast<std::size_t>(number) % colors.size()];
      const std::string style = " with points pt 7 ps 0.35 lc rgb '" + color + "' title ";
      const std::string data = stratum.points.contains(solver)
                                   ? "$s" + std::to_string(i) + '_' + std::to_string(number)
                                   : "NaN";
      script += ", " + data + style + gnuplot_quote(solver);
    }
    script += "\nunset label 1\nunset label 2\n";
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, 480 * columns, 60 + 420 * panel_rows);
}

}  // namespace sparsecast::cli
