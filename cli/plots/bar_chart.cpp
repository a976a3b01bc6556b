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
constexpr int names_height = 110;
constexpr int head_of_panel = 22;
constexpr int key_row_height = 16;
constexpr int title_height = 42;

bool has_bar(const BarSeries& series) {
  return std::ranges::any_of(series.values, [](double value) { return value > 0; });
}

/// All labels that have a bar, in the order in which panels name them.
std::vector<std::string> labels_of(const BarChart& chart) {
  std::vector<std::string> labels;
  for (const BarPanel& panel : chart.panels) {
    for (const BarSeries& series : panel.series) {
      if (has_bar(series) && std::ranges::count(labels, series.label) == 0) {
        labels.push_back(series.label);
      }
    }
  }
  return labels;
}

/// The panel's bars as a gnuplot data block: a line a category, a column a label.
std::string data_of(const BarPanel& panel, const std::vector<std::string>& labels,
                    const std::string& block) {
  std::string data = block + " << EOD\n";
  for (std::size_t category = 0; category < panel.categories.size(); ++category) {
    data += '"' + panel.categories[category] + '"';
    for (const std::string& label : labels) {
      const auto series = std::ranges::find(panel.series, label, &BarSeries::label);
      data += ' ' + std::to_string(series == panel.series.end() ? 0 : series->values[category]);
    }
    data += '\n';
  }
  return data + "EOD\n";
}

/// Where panels are, and how large all is.
struct Placement {
  int columns;
  int rows;
  bool names_once;  ///< below the last row only
  int key_rows;
  int width;
  int height;

  Placement(const BarChart& chart, const std::vector<std::string>& labels)
      : columns(std::min(chart.columns, static_cast<int>(chart.panels.size()))),
        rows((static_cast<int>(chart.panels.size()) + columns - 1) / columns),
        names_once(std::ranges::all_of(chart.panels, [&](const BarPanel& panel) {
          return panel.categories == chart.panels.front().categories;
        })) {
    std::size_t categories = 0;
    for (const BarPanel& panel : chart.panels) {
      categories = std::max(categories, panel.categories.size());
    }
    const auto bars = static_cast<int>(labels.size());
    const int of_bars = 60 + 8 * (bars + 1) * static_cast<int>(categories);
    width = margin + columns * std::clamp(of_bars, columns > 1 ? 420 : 900, 1200);
    const auto longest = static_cast<int>(std::ranges::max(labels, {}, &std::string::size).size());
    const int in_row = std::max(1, width / (50 + 8 * longest));
    key_rows = (bars + in_row - 1) / in_row;
    height = head() + rows * row_height() + (names_once ? names_height : 0);
  }
  int head() const { return title_height + key_row_height * key_rows; }
  int row_height() const { return panel_height + (names_once ? 0 : names_height); }
};

}  // namespace

void draw_bars(const std::filesystem::path& file, BarChart chart) {
  std::erase_if(chart.panels,
                [](const BarPanel& panel) { return std::ranges::none_of(panel.series, has_bar); });
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
    script += data_of(panel, labels, block);
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
    script += "plot ";
    for (std::size_t s = 0; s < labels.size(); ++s) {
      script += (s > 0 ? ", " : "") + block + " using " + std::to_string(s + 2) +
                (named ? ":xtic(1)" : ":xtic('')") + " lc rgb '" +
                std::string(colors[s % colors.size()]) + "' title " + gnuplot_quote(labels[s]);
    }
    script += "\nunset label 1\n";
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, at.width, at.height);
}

}  // namespace sparsecast::cli
