#include "cli/commands/bench/fusion/fusion_chart.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/bench/fusion/fusion_results.hpp"
#include "cli/commands/bench/fusion/fusion_solvers.hpp"
#include "cli/commands/bench/paper/device_parts.hpp"
#include "cli/plots/bar_chart.hpp"

namespace sparsecast::cli {
namespace {

std::string series_label(const std::string& name, const std::string& launch) {
  return launch.empty() ? name : name + ", " + launch;
}

BarPanel iteration_panel(const std::string& title, const FusionResults& results) {
  BarPanel panel{title, {}, {}};
  const std::vector<std::int64_t> sizes = results.sizes();
  for (const std::int64_t size : sizes) panel.categories.push_back(std::to_string(size));
  for (const std::string& launch : results.launches()) {
    for (const FusionSolver& solver : fusion_solvers()) {
      if (solver.name == six_kernels) continue;
      BarSeries series{series_label(solver.name, launch), std::vector<double>(sizes.size(), 0)};
      for (const Gain& each : gains(results, solver.name, launch)) {
        const auto place = std::ranges::find(sizes, each.size) - sizes.begin();
        series.values[static_cast<std::size_t>(place)] = each.gain;
      }
      panel.series.push_back(std::move(series));
    }
  }
  return panel;
}

/// At the size in which most bases were measured.
BarPanel step_panel(const FusionResults& results) {
  BarPanel panel{"", {}, {}};
  std::vector<const FusionMeasurement*> steps;
  for (const FusionMeasurement* m : results.all()) {
    if (m->what == "gram-schmidt" && m->solver == "gmres") steps.push_back(m);
  }
  std::int64_t size = 0;
  std::ptrdiff_t most = 0;
  for (const FusionMeasurement* m : steps) {
    const auto count = std::ranges::count(steps, m->size, &FusionMeasurement::size);
    if (count <= most) continue;
    most = count;
    size = m->size;
  }
  panel.title = "Gram-Schmidt, vectors of " + std::to_string(size) + " values, by basis";
  std::vector<std::int64_t> bases;
  for (const FusionMeasurement* m : steps) {
    if (m->size == size && std::ranges::count(bases, m->basis) == 0) bases.push_back(m->basis);
  }
  for (const std::int64_t basis : bases) panel.categories.push_back(std::to_string(basis));
  for (const std::string& launch : results.launches()) {
    BarSeries series{series_label("gmres", launch), {}};
    for (const std::int64_t basis : bases) {
      const FusionMeasurement* fused = results.step(size, basis, "gmres", launch);
      const FusionMeasurement* single = results.step(size, basis, "gmres-blas1", launch);
      const bool both = fused != nullptr && single != nullptr && fused->measured();
      series.values.push_back(both ? single->seconds / fused->seconds : 0);
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace

void draw_fusion(const std::filesystem::path& file,
                 std::span<const FusionMeasurement> measurements) {
  BarChart chart;
  chart.title = "Times as fast as six kernels, and as single dot products and axpys";
  chart.unit = "times";
  chart.columns = 2;
  for (const DevicePart<FusionMeasurement>& part : device_parts(measurements)) {
    const FusionResults results(measurements, part.device, part.precision);
    chart.panels.push_back(iteration_panel(part.title() + ": CG by unknowns", results));
    chart.panels.push_back(step_panel(results));
  }
  draw_bars(file, std::move(chart));
}

}  // namespace sparsecast::cli
