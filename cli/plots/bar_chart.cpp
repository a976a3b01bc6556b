#include "cli/plots/bar_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cli/plots/colours.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/plots/picture.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

constexpr int margin = 40;  // pixels, as all sizes
constexpr int panel_height = 215;
constexpr int head_of_panel = 24;
constexpr int title_height = 42;

bool is_bar(double value) {
  return value > 0 && std::isfinite(value);
}

/// In the order in which panels name them.
std::vector<std::string> labels_of(const BarChart& chart) {
  std::vector<std::string> labels;
  for (const BarPanel& panel : chart.panels) {
    for (const BarSeries& series : panel.series) {
      if (std::ranges::count(labels, series.label) == 0) labels.push_back(series.label);
    }
  }
  return labels;
}

/// The panel's bars as a gnuplot data block: a line a category, a column a series.
std::string data_of(const BarPanel& panel, const std::string& block) {
  std::string data = block + " << EOD\n";
  for (std::size_t category = 0; category < panel.categories.size(); ++category) {
    for (const BarSeries& series : panel.series) {
      const double value = series.values[category];
      data += format_number(is_bar(value) ? value : 0, "%.6g ");
    }
    data += '\n';
  }
  return data + "EOD\n";
}

std::string names_of(const BarPanel& panel) {
  std::string tics;
  for (std::size_t i = 0; i < panel.categories.size(); ++i) {
    tics += (i > 0 ? ", " : "") + gnuplot_tic_label(brief(panel.categories[i])) + ' ' +
            std::to_string(i);
  }
  return "set xtics rotate by 40 right font ',12' scale 0.4 (" + tics + ")\n";
}

std::string colour_of(const std::vector<std::string>& labels, const std::string& label) {
  const auto place = static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
  return " lc rgb '" + std::string(colours[place % colours.size()]) + "'";
}

/// The bars of a panel, and where it is told so the key of all labels.
std::string plot_of(const BarPanel& panel, const std::vector<std::string>& labels,
                    const std::string& block, bool with_key) {
  std::string plot = "plot ";
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    plot += (s > 0 ? ", " : "") + block + " using " + std::to_string(s + 1) +
            colour_of(labels, panel.series[s].label) + " notitle";
  }
  if (!with_key) return plot + '\n';
  for (const std::string& label : labels) {
    plot += ", keyentry with boxes" + colour_of(labels, label) + " title " + gnuplot_quote(label);
  }
  return plot + '\n';
}

/// Where panels are, and how large all is.
struct Placement {
  int columns;
  int rows;
  bool names_once;  ///< below the last row only
  int names_height;
  int rows_of_key;
  Picture picture;

  Placement(const BarChart& chart, const std::vector<std::string>& labels)
      : columns(std::min(chart.columns, static_cast<int>(chart.panels.size()))),
        rows((static_cast<int>(chart.panels.size()) + columns - 1) / columns),
        names_once(std::ranges::all_of(chart.panels, [&](const BarPanel& panel) {
          return panel.categories == chart.panels.front().categories;
        })) {
    std::size_t bars = 0;
    int longest_name = 0;
    int longest_title = 0;
    for (const BarPanel& panel : chart.panels) {
      bars = std::max(bars, (panel.series.size() + 1) * panel.categories.size());
      longest_title = std::max(longest_title, text_width(panel.title));
      for (const std::string& name : panel.categories) {
        longest_name = std::max(longest_name, text_width(brief(name)));
      }
    }
    names_height = 30 + longest_name * 2 / 3;  // they are turned by 40 degrees
    const int of_bars = 80 + 8 * static_cast<int>(bars);
    const int least = std::max(columns > 1 ? 420 : 900, 60 + longest_title);
    picture.width = margin + columns * std::max(least, std::min(of_bars, 1200));
    rows_of_key = key_rows(labels, picture.width);
    picture.height = head() + rows * row_height() + (names_once ? names_height : 0);
  }
  int head() const { return title_height + key_row_height * rows_of_key; }
  int row_height() const { return panel_height + (names_once ? 0 : names_height); }
};

}  // namespace

void draw_bars(const std::filesystem::path& file, BarChart chart) {
  for (BarPanel& panel : chart.panels) {
    std::erase_if(panel.series, [](const BarSeries& series) {
      return std::ranges::none_of(series.values, is_bar);
    });
  }
  std::erase_if(chart.panels, [](const BarPanel& panel) { return panel.series.empty(); });
  if (chart.panels.empty()) throw Error(file.string() + ": nothing was measured that it draws");
  const std::vector<std::string> labels = labels_of(chart);
  const Placement at(chart, labels);
  const Picture& picture = at.picture;
  std::string script =
      "set multiplot\n"
      "set style data histograms\nset style histogram clustered gap 1\n"
      "set style fill solid 0.9 noborder\nset boxwidth 1\nset border 3 lc rgb '#444444'\n"
      "set tics nomirror out scale 0.4\nset ytics font ',12'\nset grid y lc rgb '#dddddd' lt 1\n"
      "set yrange [0:*]\n";
  script += "set label 1 " + gnuplot_quote(chart.title) + " at " +
            picture.at(picture.width / 2.0, 14) + " center\n";
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const BarPanel& panel = chart.panels[p];
    const int column = static_cast<int>(p) % at.columns;
    const int row = static_cast<int>(p) / at.columns;
    const double column_width = (picture.width - margin) / static_cast<double>(at.columns);
    const double left = margin + column * column_width + 30;
    const double above = at.head() + row * at.row_height();
    const std::string block = "$p" + std::to_string(p);
    script += data_of(panel, block);
    script += picture.margins(left, left + column_width - 45, above + head_of_panel,
                              above + panel_height - 6.0);
    script += "set xrange [-0.6:" + std::to_string(panel.categories.size()) + "-0.4]\n";
    script +=
        "set label 2 " + gnuplot_quote(panel.title) + " at graph 0, graph 1.07 left font ',13'\n";
    if (column == 0) {
      script += "set label 3 " + gnuplot_quote(chart.unit) + " at " +
                picture.at(12, above + (head_of_panel + panel_height) / 2.0) +
                " rotate by 90 center font ',12'\n";
    }
    const bool named = !at.names_once || row == at.rows - 1;
    script += named ? names_of(panel) : "set xtics scale 0 ('' 0)\n";
    script += p == 0 ? picture.key(title_height - 14, at.rows_of_key) : "unset key\n";
    script += plot_of(panel, labels, block, p == 0);
    script += "unset label 1\n";
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, picture.width, picture.height);
}

}  // namespace sparsecast::cli
