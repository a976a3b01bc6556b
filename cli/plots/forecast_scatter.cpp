#include "cli/plots/forecast_scatter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/plots/colours.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/plots/picture.hpp"
#include "cli/plots/round_numbers.hpp"
#include "cli/plots/validation_labels.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/working_set.hpp"

namespace sparsecast::cli {

namespace {

/// The cases of one working set, times in microseconds.
struct Panel {
  std::string stratum;
  std::map<std::string, std::string> points;  ///< by solver
  double least = 0;
  double most = 0;
};

bool has_forecast(const ValidationRow& row) {
  return row.predicted_seconds > 0 && std::isfinite(row.predicted_seconds) &&
         row.measured_seconds > 0 && std::isfinite(row.measured_seconds);
}

std::vector<Panel> panels_of(std::span<const ValidationRow> rows) {
  std::vector<Panel> panels;
  for (std::size_t stratum = 0; stratum < working_set_strata().size(); ++stratum) {
    Panel panel;
    panel.stratum = working_set_strata()[stratum].name;
    for (const ValidationRow& row : rows) {
      if (!has_forecast(row) || working_set_stratum(row.working_set_bytes) != stratum) continue;
      const double measured = 1e6 * row.measured_seconds;
      const double predicted = 1e6 * row.predicted_seconds;
      panel.points[solver_label(row)] +=
          format_number(measured, "%.5g ") + format_number(predicted, "%.5g\n");
      const auto [low, high] = std::minmax(measured, predicted);
      panel.least = panel.least > 0 ? std::min(panel.least, low) : low;
      panel.most = std::max(panel.most, high);
    }
    if (!panel.points.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

/// Colours and, where there are more solvers, shapes.
std::string style_of(std::size_t solver) {
  constexpr std::size_t told_apart = 8;
  constexpr std::array shapes{7, 9, 5, 13};
  return " with points pt " + std::to_string(shapes[solver / told_apart % shapes.size()]) +
         " ps 0.45 lc rgb '" + std::string(colours[solver % told_apart]) + "' title ";
}

std::string axes_of(const Panel& panel) {
  const double low = panel.least / 1.3;
  const double high = panel.most * 1.3;
  std::string tics;
  for (const double number : round_numbers(low, high, 3)) {
    tics += (tics.empty() ? "" : ", ") + format_number(number, "%.6g");
  }
  const std::string range =
      "[" + format_number(low, "%.6g") + ":" + format_number(high, "%.6g") + "]\n";
  return "set xrange " + range + "set yrange " + range + "set xtics (" + tics +
         ") font ',12'\nset ytics (" + tics + ") font ',12'\nset title " +
         gnuplot_quote("working set " + panel.stratum) + " offset 0,-0.6\n";
}

}  // namespace

void draw_forecasts(const std::filesystem::path& file, const ValidationData& data) {
  const std::vector<Panel> panels = panels_of(data.rows);
  if (panels.empty()) throw Error(file.string() + ": no case with a forecast to draw");
  std::map<std::string, std::size_t> solvers;
  for (const Panel& panel : panels) {
    for (const auto& [solver, points] : panel.points) solvers[solver] = 0;
  }
  std::vector<std::string> key{"equal", "10 % more or less"};
  std::size_t count = 0;
  for (auto& [solver, number] : solvers) {
    number = count++;
    key.push_back(brief(solver));
  }

  const int columns = panels.size() > 1 ? 2 : 1;
  const int rows = panels.size() > 2 ? 2 : 1;
  Picture picture;
  picture.width = 500 * columns;
  const int in_key = key_rows(key, picture.width);
  const std::string about = validation_label(data);
  const std::string title = "Iterations and products" + (about.empty() ? "" : ", " + about);
  const int above_key = picture.title_height(title);
  const int head = above_key + 12 + key_row_height * in_key;
  constexpr int panel_height = 450;
  constexpr int foot = 40;
  picture.height = head + rows * panel_height + foot;

  std::string script;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    for (const auto& [solver, points] : panels[i].points) {
      script += "$s" + std::to_string(i) + '_' + std::to_string(solvers.at(solver)) + " << EOD\n" +
                points + "EOD\n";
    }
  }
  script += "set multiplot\nset logscale xy\nset grid lc rgb '#dddddd' lt 1\nset border 3\n";
  script += "set tics nomirror out scale 0.4\nset format xy '%g'\n";
  script += picture.title(title);
  script += "set label 2 'measured time, µs' at " +
            picture.at(picture.width / 2.0, picture.height - 16.0) + " center\n";
  script += "set label 3 'predicted time, µs' at " + picture.at(16, (head + picture.height) / 2.0) +
            " rotate by 90 center\n";
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double left = 90.0 + static_cast<double>(i % 2) * 460;
    const double top = head + static_cast<double>(i / 2) * panel_height + 36;
    script += picture.margins(left, left + 380, top, top + 380);
    script += axes_of(panels[i]);
    script += i == 0 ? picture.key(above_key, in_key) : "unset key\n";
    // Every panel names every solver, so that the first one's key has them all.
    script += "plot x lc rgb '#444444' lw 1 title " + gnuplot_quote(key[0]) +
              ", 0.9*x dt 3 lw 1.5 lc rgb '#666666' title " + gnuplot_quote(key[1]) +
              ", 1.1*x dt 3 lw 1.5 lc rgb '#666666' notitle";
    for (const auto& [solver, number] : solvers) {
      const bool drawn = panels[i].points.contains(solver);
      if (!drawn && i > 0) continue;
      script += ", " +
                (drawn ? "$s" + std::to_string(i) + '_' + std::to_string(number) : "keyentry") +
                style_of(number) + gnuplot_quote(key[2 + number]);
    }
    script += "\nunset label 1\nunset label 2\nunset label 3\n";
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, picture.width, picture.height);
}

}  // namespace sparsecast::cli
