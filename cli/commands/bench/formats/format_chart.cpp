#include "cli/commands/bench/formats/format_chart.hpp"

#include <string>
#include <utility>
#include <vector>

#include "cli/commands/bench/formats/format_parts.hpp"
#include "cli/commands/bench/paper/grid_table.hpp"
#include "cli/plots/bar_chart.hpp"

namespace sparsecast::cli {
namespace {

/// The matrices of a set; without bars where the part has none.
BarPanel panel_of(const FormatPart& part, const std::string& set) {
  BarPanel panel;
  panel.title = part.title() + ", " + set;
  std::vector<std::string> layouts;
  for (const FormatMeasurement* m : part.measurements) {
    if (m->set != set) continue;
    add_once(panel.categories, matrix_label(*m));
    add_once(layouts, layout_label(*m));
  }
  for (const std::string& layout : layouts) {
    BarSeries& series = panel.series.emplace_back();
    series.label = layout;
    for (const std::string& matrix : panel.categories) {
      constexpr double giga = 1e9;
      const FormatMeasurement* best = part.best(matrix, layout);
      series.values.push_back(best == nullptr ? 0 : best->flops_per_second() / giga);
    }
  }
  return panel;
}

}  // namespace

void draw_formats(const std::filesystem::path& file,
                  std::span<const FormatMeasurement> measurements) {
  const std::vector<FormatPart> parts = format_parts(measurements);
  std::vector<std::string> devices;
  for (const FormatPart& part : parts) add_once(devices, part.device);
  BarChart chart;
  chart.title = "Products, GFlop/s of nonzeros";
  chart.unit = "GFlop/s";
  for (const std::string& device : devices) {
    for (const char* set : {"structured", "unstructured"}) {
      for (const FormatPart& part : parts) {
        if (part.device != device || part.x == "l2") continue;
        chart.panels.push_back(panel_of(part, set));
      }
    }
  }
  draw_bars(file, std::move(chart));
}

}  // namespace sparsecast::cli
