#include "cli/commands/bench/blocks/block_chart.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/bench/paper/grid_table.hpp"
#include "cli/plots/bar_chart.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {
namespace {

std::string device_of(const BlockMeasurement& m) {
  return m.description + ", " + std::string(to_string(m.precision));
}

std::string mesh_of(const BlockMeasurement& m) {
  return m.scale == 1 ? m.mesh : m.mesh + " x " + format_number(m.scale, "%g");
}

std::string layout_of(const BlockMeasurement& m) {
  return m.layout;
}

std::string solver_of(const BlockMeasurement& m) {
  if (m.solver == "cnc") return "CG in calls (cnc.json)";
  return m.solver == "cnc-graph" ? "the same recorded" : "our fused CG";
}

/// A category for each mesh, and a label for each measurement by this text.
BarPanel panel_of(const std::string& title, const std::vector<const BlockMeasurement*>& shown,
                  std::string (*label)(const BlockMeasurement&)) {
  BarPanel panel{title, {}, {}};
  for (const BlockMeasurement* m : shown) add_once(panel.categories, mesh_of(*m));
  for (const BlockMeasurement* m : shown) {
    auto series = std::ranges::find(panel.series, label(*m), &BarSeries::label);
    if (series == panel.series.end()) {
      panel.series.push_back({label(*m), std::vector<double>(panel.categories.size(), 0)});
      series = panel.series.end() - 1;
    }
    const auto place = std::ranges::find(panel.categories, mesh_of(*m));
    constexpr double giga = 1e9;
    series->values[static_cast<std::size_t>(place - panel.categories.begin())] =
        m->flops_per_second() / giga;
  }
  return panel;
}

}  // namespace

void draw_blocks(const std::filesystem::path& file,
                 std::span<const BlockMeasurement> measurements) {
  std::vector<std::string> devices;
  std::vector<std::string> problems;
  std::string order;
  for (const BlockMeasurement& m : measurements) {
    if (m.mesh.empty()) continue;
    add_once(devices, device_of(m));
    add_once(problems, m.problem);
    if (order.empty()) order = m.order;
  }
  BarChart chart;
  chart.title =
      "Products, and iterations of Jacobi-CG: GFlop/s of nonzeros; order of vertices: " + order;
  chart.unit = "GFlop/s";
  chart.columns = 2;
  const auto add = [&](const std::string& title, const std::string& device,
                       const std::string& problem, const char* what, const auto& label) {
    std::vector<const BlockMeasurement*> shown;
    for (const BlockMeasurement& m : measurements) {
      if (device_of(m) == device && m.problem == problem && m.what == what && m.order == order &&
          m.measured()) {
        shown.push_back(&m);
      }
    }
    chart.panels.push_back(panel_of(title, shown, label));
  };
  for (const std::string& device : devices) {
    for (const std::string& problem : problems) {
      add(device + ": " + problem, device, problem, "product", layout_of);
      add("Jacobi-CG", device, problem, "iteration", solver_of);
    }
  }
  draw_bars(file, std::move(chart));
}

}  // namespace sparsecast::cli
