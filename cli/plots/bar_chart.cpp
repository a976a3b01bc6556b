#include "cli/plots/bar_chart.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "cli/plots/gnuplot.hpp"
#include "core/base/error.hpp"

namespace sparsecast::cli {
namespace {

/// Told apart by the colour-blind: of Okabe and Ito, then of Tol.
constexpr std::array<std::string_view, 15> colors{
    "#999999", "#E69F00", "#56B4E9", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#000000",
    "#F0E442", "#882255", "#44AA99", "#332288", "#999933", "#AA4499", "#88CCEE"};

constexpr int margin = 40;  // pixels, as all sizes
constexpr int panel_height = 215;
constexpr int head_of_panel = 22;
constexpr int key_row_height = 16;
constexpr int title_height = 42;

bool has_bar(const BarSeries& series) {
  return std::ranges::any_of(series.values, [](double value) { return value > 0; });
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
    data += '"' + panel.categories[category] + '"';
    for (const BarSeries& series : panel.series)
      data += ' ' + std::to_string(series.values[category]);
    data += '\n';
  }
  return data + "EOD\n";
}

std::string color_of(const std::vector<std::string>& labels, const std::string& label) {
  const auto place = static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
  return " lc rgb '" + std::string(colors[place % colors.size()]) + "'";
}

/// The bars of a panel, and where it is told so the key of all labels.
std::string plot_of(const BarPanel& panel, const std::vector<std::string>& labels,
                    const std::string& block, bool named, bool with_key) {
  std::string plot = "plot ";
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    plot += (s > 0 ? ", " : "") + block + " using " + std::to_string(s + 2) +
            (named ? ":xtic(1)" : ":xtic('')") + color_of(labels, panel.series[s].label) +
            " notitle";
  }
  if (!with_key) return plot + '\n';
  for (const std::string& label : labels) {
    plot += ", keyentry with boxes" + color_of(labels, label) + " title " + gnuplot_quote(label);
  }
  return plot + '\n';
}

/// Where panels are, and how large all is.
struct Placement {
  int columns;
  int rows;
  bool names_once;  ///< below the last row only
  int names_height;
  int key_rows;
  int width;
  int height;

  Placement(const BarChart& chart, const std::vector<std::string>& labels)
      : columns(std::min(chart.columns, static_cast<int>(chart.panels.size()))),
        rows((static_cast<int>(chart.panels.size()) + columns - 1) / columns),
        names_once(std::ranges::all_of(chart.panels, [&](const BarPanel& panel) {
          return panel.categories == chart.panels.front().categories;
        })) {
    std::size_t bars = 0;
    std::size_t longest_name = 0;
    std::size_t longest_title = 0;
    for (const BarPanel& panel : chart.panels) {
      bars = std::max(bars, (panel.series.size() + 1) * panel.categories.size());
      longest_title = std::max(longest_title, panel.title.size());
      for (const std::string& name : panel.categories) {
        longest_name = std::max(longest_name, name.size());
      }
    }
    names_height = 30 + 5 * static_cast<int>(longest_name);
    const int of_bars = 60 + 8 * static_cast<int>(bars);
    const int least = std::max(columns > 1 ? 420 : 900, 8 * static_cast<int>(longest_title));
    width = margin + columns * std::max(least, std::min(of_bars, 1200));
    const auto longest = static_cast<int>(std::ranges::max(labels, {}, &std::string::size).size());
    const int in_row = std::max(1, width / (50 + 8 * longest));
    key_rows = (static_cast<int>(labels.size()) + in_row - 1) / in_row;
    height = head() + rows * row_height() + (names_once ? names_height : 0);
  }
  int head() const { return title_height + key_row_height * key_rows; }
  int row_height() const { return panel_height + (names_once ? 0 : names_height); }
};

}  // namespace

void draw_bars(const std::filesystem::path& file, BarChart chart) {
  for (BarPanel& panel : chart.panels) {
    std::erase_if(panel.series, [](const BarSeries& series) { return !has_bar(series); });
  }
  std::erase_if(chart.panels, [](const BarPanel& panel) { return panel.series.empty(); });
  if (chart.panels.empty()) throw Error(file.string() + ": nothing was measured that it draws");
  const std::vector<std::string> labels = labels_of(chart);
  const Placement at(chart, labels);
  const double width = at.width;
  const double height = at.height;
  std::string script =
      "set multiplot\nset encoding utf8\n"
      "set style data histograms\nset style histogram clustered gap 1\n"
      "set style fill solid 0.9 noborder\nset boxwidth 1\nset border 3 lc rgb '#444444'\n"
      "set tics nomirror out scale 0.4\nset ytics font ',10'\nset grid y lc rgb '#dddddd' lt 1\n"
      "set yrange [0:*]\n";
  script += "set label 1 " + gnuplot_quote(chart.title) + " at screen 0.5, screen " +
            std::to_string(1.0 - 14.0 / height) + " center\n";
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const BarPanel& panel = chart.panels[p];
    const int column = static_cast<int>(p) % at.columns;
    const int row = static_cast<int>(p) / at.columns;
    const bool named = !at.names_once || row == at.rows - 1;
    const double left = (margin + column * (width - margin) / at.columns + 20.0) / width;
    const double right = (margin + (column + 1) * (width - margin) / at.columns - 15.0) / width;
    const double above = at.head() + row * at.row_height();
    const double top = 1.0 - (above + head_of_panel) / height;
    const double bottom = 1.0 - (above + panel_height - 6.0) / height;
    const std::string block = "$p" + std::to_string(p);
    script += data_of(panel, block);
    script += "set lmargin at screen " + std::to_string(left) + "\nset rmargin at screen " +
              std::to_string(right) + "\nset tmargin at screen " + std::to_string(top) +
              "\nset bmargin at screen " + std::to_string(bottom) + "\n";
    script += "set xrange [-0.6:" + std::to_string(panel.categories.size()) + "-0.4]\n";
    script +=
        "set label 2 " + gnuplot_quote(panel.title) + " at graph 0, graph 1.07 left font ',12'\n";
    script += named ? "set xtics rotate by 40 right noenhanced font ',10' scale 0.4\n"
                    : "set xtics format '' scale 0\n";
    script +=
        p == 0
            ? "set key at screen 0.5, screen " +
                  std::to_string(1.0 - (title_height - 14.0 + key_row_height * at.key_rows / 2.0) /
                                           height) +
                  " center vertical maxrows " + std::to_string(at.key_rows) +
                  " samplen 1 width -2 Left reverse font ',11'\n"
            : std::string("unset key\n");
    script += plot_of(panel, labels, block, named, p == 0);
    script += "unset label 1\n";
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, at.width, at.height);
}

}  // namespace sparsecast::cli
