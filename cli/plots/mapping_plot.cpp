#include "cli/plots/mapping_plot.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/plots/bar_chart.hpp"
#include "core/formats/paper/paper_spmv.hpp"
#include "core/formats/registry.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {
namespace {

/// Of every matrix the fastest of the samples that belong to it.
struct Bars {
  std::string label;
  std::function<bool(const MappingSample&)> has;
};

using Value = double (MappingSample::*)() const;

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

BarPanel panel_of(const std::string& title, const std::vector<Bars>& all, Value value,
                  std::span<const MappingSample> samples) {
  BarPanel panel{title, matrix_names(samples), {}};
  for (const Bars& bars : all) {
    BarSeries& series = panel.series.emplace_back();
    series.label = bars.label;
    for (const std::string& matrix : panel.categories) {
      double best = 0;
      for (const MappingSample& sample : samples) {
        if (sample.matrix != matrix || !bars.has(sample)) continue;
        best = std::max(best, 1e-9 * (sample.*value)());
      }
      series.values.push_back(best);
    }
  }
  return panel;
}

std::string title_of(std::span<const MappingSample> samples, const std::string& unit) {
  return (samples.empty() ? "" : samples.front().device) + ", SpMV, " + unit;
}

/// For every format of ours that may pay, beside CSR and blocks, the best of
/// its layouts.
std::vector<Bars> bars_of_formats() {
  std::vector<Bars> all;
  for (const Format* format : formats()) {
    std::vector<std::string> layouts;
    for (const Layout& layout : usual_layouts_of(*format)) {
      if (!is_csr_or_blocks(layout)) layouts.push_back(to_string(layout));
    }
    if (layouts.empty()) continue;
    all.push_back({"sparsecast " + std::string(format->name), [layouts](const MappingSample& s) {
                     return std::ranges::count(layouts, s.kernel) > 0;
                   }});
  }
  return all;
}

bool is_of_paper(const MappingSample& sample) {
  return sample.kernel == "paper";
}
bool is_of_library(const MappingSample& sample) {
  return sample.kernel.starts_with("cusparse");
}
/// Our kernel in CSR and blocks.
bool is_default(const MappingSample& sample) {
  return sample.kernel == "default";
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
  BarChart chart;
  chart.title = title_of(samples, "raw GFlop/s (all block elements, no padding)");
  chart.unit = "GFlop/s";
  chart.columns = static_cast<int>(found.size());
  for (const int n : {1, 2, 4, 8}) {
    for (const Precision precision : found) {
      std::vector<Bars> all;
      const auto add = [&](const std::string& label, const auto& condition) {
        all.push_back({label, [n, precision, condition](const MappingSample& s) {
                         return s.block_size == n && s.precision == precision && condition(s);
                       }});
      };
      for (const Bar& bar : bars) {
        add(bar.label, [bar](const MappingSample& s) {
          return is_of_paper(s) && s.mapping == to_string(bar.mapping) &&
                 s.storage == to_string(bar.storage) && s.row_order == bar.row_order &&
                 s.blocks_at_once == 1 && s.threads_per_block == PaperSpmv{}.threads_per_block;
        });
      }
      add("sparsecast CSR, blocks", is_default);
      for (const Bars& format : bars_of_formats()) add(format.label, format.has);
      chart.panels.push_back(
          panel_of("N = " + std::to_string(n) + ", " + std::string(to_string(precision)), all,
                   &MappingSample::raw_flops, samples));
    }
  }
  draw_bars(file, std::move(chart));
}

void draw_block_sizes(const std::filesystem::path& file, std::span<const MappingSample> samples) {
  BarChart chart;
  chart.title = title_of(samples, "effective GFlop/s (nonzeros only)");
  chart.unit = "GFlop/s";
  for (const Precision precision : precisions(samples)) {
    std::vector<Bars> all;
    const auto add = [&](const std::string& label, const auto& condition) {
      all.push_back({label, [precision, condition](const MappingSample& s) {
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
        [](const MappingSample& s) { return is_default(s) && s.block_size == 1; });
    for (const Bars& format : bars_of_formats()) add(format.label, format.has);
    add("sparsecast, best layout",
        [](const MappingSample& s) { return !is_of_paper(s) && !is_of_library(s); });
    add("cuSPARSE CSR, best", is_of_library);
    chart.panels.push_back(
        panel_of(std::string(to_string(precision)), all, &MappingSample::effective_flops, samples));
  }
  draw_bars(file, std::move(chart));
}

}  // namespace sparsecast::cli
