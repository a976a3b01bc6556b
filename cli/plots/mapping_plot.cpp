#include "cli/plots/mapping_plot.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "cli/plots/gnuplot.hpp"
#include "core/base/error.hpp"
#include "core/formats/paper/paper_spmv.hpp"

namespace sparsecast::cli {
namespace {

/// Told apart by the colour-blind (Okabe and Ito).
constexpr std::array colors{"#999999", "#E69F00", "#56B4E9", "#0072B2",
                            "#009E73", "#D55E00", "#CC79A7", "#000000"};

/// A bar of every matrix: the fastest of the samples that belong to it.
struct Series {
  std::string label;
  std::function<bool(const MappingSample&)> has;
};

struct Panel {
  std::string title;
  std::vector<Series> series;
};

/// Bars side by side for every matrix.
struct Figure {
  std::string unit;  ///< of the bars
  double (MappingSample::*value)() const;
  std::vector<Panel> panels;  ///< row by row
  int columns = 1;
};

std::vector<std::string> matrix_names(std::span<const MappingSample> samples) {
  std::vector<std::string> names;
  for (const MappingSample& sample : samples) {
    if (std::ranges::find(names, sample.matrix) == names.end()) names.push_back(sample.matrix);
  }
  return names;
}

std::vector<Precision> precisions(std::span<const MappingSample> samples) {
  std::vector<Precision> found;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    if (std::ranges::find(samples, precision, &MappingSample::precision) != samples.end()) {
      found.push_back(precision);
    }
  }
  return found;
}

/// The panel's bars as a gnuplot data block: a line a matrix, 0 where nothing was measured.
std::string data_of(const Panel& panel, const Figure& figure, const std::string& block,
                    std::span<const MappingSample> samples) {
  std::string data = block + " << EOD\n";
  for (const std::string& name : matrix_names(samples)) {
    data += '"' + name + '"';
    for (const Series& series : panel.series) {
      double best = 0;
      for (const MappingSample& sample : samples) {
        if (sample.matrix == name && series.has(sample)) {
          best = std::max(best, 1e-9 * (sample.*figure.value)());
        }
      }
      data += ' ' + std::to_string(best);
    }
    data += '\n';
  }
  return data + "EOD\n";
}

void draw(const std::filesystem::path& file, Figure figure,
          std::span<const MappingSample> samples) {
  std::erase_if(figure.panels, [&](const Panel& panel) {
    return std::ranges::none_of(samples, [&](const MappingSample& sample) {
      return std::ranges::any_of(panel.series,
                                 [&](const Series& series) { return series.has(sample); });
    });
  });
  if (figure.panels.empty()) throw Error(file.string() + ": no sample to draw");
  const int columns = figure.columns;
  const int rows = (static_cast<int>(figure.panels.size()) + columns - 1) / columns;
  constexpr int panel_height = 215;
  constexpr int head = 74;
  constexpr int foot = 110;  // names of matrices
  const auto matrices = static_cast<int>(matrix_names(samples).size());
  const auto bars = static_cast<int>(figure.panels.front().series.size()) + 1;
  const int width = 40 + columns * std::max(columns > 1 ? 420 : 900, 60 + 8 * bars * matrices);
  const int height = head + rows * panel_height + foot;
  std::string script =
      "set multiplot\nset encoding utf8\n"
      "set style data histograms\nset style histogram clustered gap 1\n"
      "set style fill solid 0.9 noborder\nset boxwidth 1\nset border 3 lc rgb '#444444'\n"
      "set tics nomirror out scale 0.4\nset ytics font ',10'\nset grid y lc rgb '#dddddd' lt 1\n"
      "set yrange [0:*]\n";
  script += "set xrange [-0.6:" + std::to_string(matrices) + "-0.4]\n";
  script += "set label 1 " + gnuplot_quote(samples.front().device + ", SpMV, " + figure.unit) +
            " at screen 0.5, screen " + std::to_string(1.0 - 14.0 / height) + " center\n";
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const int column = static_cast<int>(p) % columns;
    const int row = static_cast<int>(p) / columns;
    const double left = (40.0 + column * (width - 40.0) / columns + 20.0) / width;
    const double right = (40.0 + (column + 1) * (width - 40.0) / columns - 15.0) / width;
    const double top = 1.0 - (head + row * panel_height + 22.0) / height;
    const double bottom = 1.0 - (head + (row + 1.0) * panel_height - 6.0) / height;
    const std::string block = "$p" + std::to_string(p);
    script += data_of(panel, figure, block, samples);
    script += "set lmargin at screen " + std::to_string(left) + "\nset rmargin at screen " +
              std::to_string(right) + "\nset tmargin at screen " + std::to_string(top) +
              "\nset bmargin at screen " + std::to_string(bottom) + "\n";
    script +=
        "set label 2 " + gnuplot_quote(panel.title) + " at graph 0, graph 1.07 left font ',12'\n";
    script += row == rows - 1 ? "set xtics rotate by 40 right noenhanced font ',10'\n"
                              : "set xtics format '' scale 0\n";
    script += p == 0 ? "set key at screen 0.5, screen " + std::to_string(1.0 - 46.0 / height) +
                           " center vertical maxrows 2 samplen 1 width -2 Left reverse font ',11'\n"
                     : std::string("unset key\n");
    script += "plot ";
    for (std::size_t s = 0; s < panel.series.size(); ++s) {
      const std::string at = std::to_string(s + 2);
      script += (s > 0 ? ", " : "") + block + " using " + at +
                (row == rows - 1 ? ":xtic(1)" : ":xtic('')") + " lc rgb '" +
                colors[s % colors.size()] + "' title " + gnuplot_quote(panel.series[s].label);
    }
    script += "\nunset label 1\n";
  }
  script += "unset multiplot\n";
  draw_with_gnuplot(file, script, width, height);
}

}  // namespace

void draw_mappings(const std::filesystem::path& file, std::span<const MappingSample> samples) {
  struct Bar {
    const char* label;
    PaperMapping mapping;
    PaperStorage storage;
    const char* row_order;
  };
  using enum PaperMapping;
  constexpr std::array bars{
      Bar{"block row", block_row, PaperStorage::plain, "natural"},
      Bar{"warp", warp, PaperStorage::plain, "natural"},
      Bar{"multiple block rows (MBR)", multiple_block_rows, PaperStorage::plain, "natural"},
      Bar{"MBR padded", multiple_block_rows, PaperStorage::padded, "natural"},
      Bar{"MBR sorted", multiple_block_rows, PaperStorage::plain, "sorted"},
      Bar{"MBR reordered", multiple_block_rows, PaperStorage::reordered, "natural"},
      Bar{"MBR reordered, sorted", multiple_block_rows, PaperStorage::reordered, "sorted"}};
  const std::vector<Precision> found = precisions(samples);
  Figure figure;
  figure.unit = "raw GFlop/s (all block elements, no padding)";
  figure.value = &MappingSample::raw_flops;
  figure.columns = static_cast<int>(found.size());
  for (const int n : {1, 2, 4, 8}) {
    for (const Precision precision : found) {
      Panel panel;
      panel.title = "N = " + std::to_string(n) + ", " + std::string(to_string(precision));
      for (const Bar& bar : bars) {
        panel.series.push_back({bar.label, [bar, n, precision](const MappingSample& s) {
                                  return s.kernel == "paper" && s.block_size == n &&
                                         s.precision == precision &&
                                         s.mapping == to_string(bar.mapping) &&
                                         s.storage == to_string(bar.storage) &&
                                         s.row_order == bar.row_order && s.blocks_at_once == 1 &&
                                         s.threads_per_block == PaperSpmv{}.threads_per_block;
                                }});
      }
      figure.panels.push_back(std::move(panel));
    }
  }
  draw(file, figure, samples);
}

void draw_block_sizes(const std::filesystem::path& file, std::span<const MappingSample> samples) {
  const bool vendor = std::ranges::any_of(
      samples, [](const MappingSample& s) { return s.kernel.starts_with("cusparse"); });
  Figure figure;
  figure.unit = "effective GFlop/s (nonzeros only)";
  figure.value = &MappingSample::effective_flops;
  for (const Precision precision : precisions(samples)) {
    Panel panel;
    panel.title = to_string(precision);
    const auto add = [&](const std::string& label, const auto& condition) {
      panel.series.push_back({label, [precision, condition](const MappingSample& s) {
                                return s.precision == precision && condition(s);
                              }});
    };
    // The paper's final mapping (section 3.7).
    const auto is_final = [](const MappingSample& s) {
      return s.mapping == to_string(PaperMapping::multiple_block_rows) &&
             s.storage == to_string(PaperStorage::reordered) && s.row_order == "sorted";
    };
    for (const int n : {1, 2, 4, 8}) {
      add("paper, N = " + std::to_string(n), [n, is_final](const MappingSample& s) {
        return is_final(s) && s.block_size == n && s.blocks_at_once == 1 &&
               s.threads_per_block == PaperSpmv{}.threads_per_block;
      });
    }
    add("paper, best N, T and Bx", is_final);
    add("sparsecast CSR",
        [](const MappingSample& s) { return s.kernel == "default" && s.block_size == 1; });
    add("sparsecast, best layout", [](const MappingSample& s) { return s.kernel == "default"; });
    if (vendor) {
      add("cuSPARSE CSR, best",
          [](const MappingSample& s) { return s.kernel.starts_with("cusparse"); });
    }
    figure.panels.push_back(std::move(panel));
  }
  draw(file, figure, samples);
}

}  // namespace sparsecast::cli
