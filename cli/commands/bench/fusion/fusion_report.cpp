#include "cli/commands/bench/fusion/fusion_report.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/bench/fusion/fusion_results.hpp"
#include "cli/commands/bench/fusion/fusion_solvers.hpp"
#include "cli/commands/bench/fusion/fusion_statements.hpp"
#include "cli/commands/bench/paper/device_parts.hpp"
#include "cli/commands/bench/paper/grid_table.hpp"

namespace sparsecast::cli {
namespace {

constexpr double giga = 1e9;

using Part = DevicePart<FusionMeasurement>;

std::string count_cell(double count) {
  return format_number(count, "%g");
}

/// A solver in a way to launch it.
struct Variant {
  std::string solver;
  std::string launch;

  std::string label() const { return launch.empty() ? solver : solver + ", " + launch; }
};

/// Those of which an iteration was measured.
std::vector<Variant> measured_variants(const FusionResults& results) {
  std::vector<Variant> variants;
  for (const std::string& launch : results.launches()) {
    for (const FusionSolver& solver : fusion_solvers()) {
      const bool any = std::ranges::any_of(results.sizes(), [&](std::int64_t size) {
        const FusionMeasurement* m = results.iteration(size, solver.name, launch);
        return m != nullptr && m->measured();
      });
      if (any) variants.push_back({solver.name, launch});
    }
  }
  return variants;
}

std::string end_text(const std::vector<Gain>& all, double largest) {
  if (largest < counted_gain) return "nowhere as large";
  const std::optional<double> end = gain_ends(all);
  return end ? format_number(*end, "%.2g") : "beyond the largest";
}

void print_iterations(const Part& part, const FusionResults& results, TableStyle style,
                      std::ostream& out) {
  const std::vector<Variant> variants = measured_variants(results);
  if (variants.empty()) return;
  Table times({"unknowns", "solver", "launch", "time", "GB/s", "gain over six kernels"});
  Table ends({"solver", "launch", "largest gain", "gain ends at (unknowns)"});
  Table counts({"solver", "launch", "kernels", "sums", "waits", "values an unknown", "launched",
                "waited for"});
  for (const Variant& variant : variants) {
    const std::vector<Gain> all = gains(results, variant.solver, variant.launch);
    const FusionMeasurement* any = nullptr;
    for (const std::int64_t size : results.sizes()) {
      const FusionMeasurement* m = results.iteration(size, variant.solver, variant.launch);
      if (m == nullptr || !m->measured()) continue;
      any = m;
      const auto gain = std::ranges::find(all, size, &Gain::size);
      times.add_row({std::to_string(m->rows), variant.solver, variant.launch,
                     format_seconds(m->seconds), format_number(m->bytes / m->seconds / giga),
                     gain == all.end() ? "" : format_number(gain->gain)});
    }
    counts.add_row({variant.solver, variant.launch, std::to_string(any->counted.kernels),
                    std::to_string(any->counted.sums), std::to_string(any->counted.waits),
                    count_cell(any->counted.values), count_cell(any->launches),
                    count_cell(any->host_waits)});
    if (variant.solver == six_kernels || all.empty()) continue;
    const double largest = std::ranges::max_element(all, {}, &Gain::gain)->gain;
    ends.add_row({variant.solver, variant.launch, format_number(largest), end_text(all, largest)});
  }
  print_title(part.title() + ", iterations of conjugate gradients on 5-point grids", style, out);
  times.print(out, style);
  print_title(part.title() + ", where the gain falls below 1.3", style, out);
  ends.print(out, style);
  print_title(part.title() + ", what an iteration does, by its schedule and as it ran", style, out);
  counts.print(out, style);
}

void print_steps(const Part& part, const FusionResults& results, TableStyle style,
                 std::ostream& out) {
  Table table({"values", "basis", "launch", "gmres-blas1", "gmres", "times as fast",
               "values an unknown", "and fused", "ratio"});
  bool any = false;
  for (const FusionMeasurement* fused : part.of("gram-schmidt")) {
    if (fused->solver != "gmres") continue;
    const FusionMeasurement* single =
        results.step(fused->size, fused->basis, "gmres-blas1", fused->launch);
    if (single == nullptr || !single->measured() || !fused->measured()) continue;
    any = true;
    table.add_row({std::to_string(fused->rows), std::to_string(fused->basis), fused->launch,
                   format_seconds(single->seconds), format_seconds(fused->seconds),
                   format_number(single->seconds / fused->seconds),
                   count_cell(single->counted.values), count_cell(fused->counted.values),
                   format_number(single->counted.values / fused->counted.values)});
  }
  if (!any) return;
  print_title(part.title() + ", Gram-Schmidt steps: single dot products and axpys, and fused",
              style, out);
  table.print(out, style);
}

void print_dots(const Part& part, const FusionResults& results, TableStyle style,
                std::ostream& out) {
  Table table({"values", "basis", "launch", "dots a pass", "time", "gain over one",
               "values an unknown", "GB/s of the basis"});
  bool any = false;
  for (const FusionMeasurement* m : part.of("dots")) {
    const FusionMeasurement* one = results.dots(m->size, m->basis, 1, m->launch);
    if (!m->measured() || one == nullptr || !one->measured()) continue;
    any = true;
    const auto basis_bytes =
        static_cast<double>(m->rows * m->basis * bytes_per_value(m->precision));
    table.add_row({std::to_string(m->rows), std::to_string(m->basis), m->launch,
                   std::to_string(m->dots), format_seconds(m->seconds),
                   format_number(one->seconds / m->seconds), count_cell(m->counted.values),
                   format_number(basis_bytes / m->seconds / giga)});
  }
  if (!any) return;
  print_title(part.title() + ", dot products of one vector with a basis", style, out);
  table.print(out, style);
}

void print_solves(const Part& part, const FusionResults& results, TableStyle style,
                  std::ostream& out) {
  const std::vector<std::string> systems = results.systems();
  if (systems.empty()) return;
  Table table(
      {"system", "unknowns", "solver", "outcome", "iterations", "time", "||b - Ax|| / ||b||"});
  for (const std::string& system : systems) {
    for (const FusionSolver& solver : fusion_solvers()) {
      const FusionMeasurement* m = results.solve(system, solver.name);
      if (m == nullptr) continue;
      if (!m->measured()) {
        table.add_row({system, std::to_string(m->rows), solver.name, m->reason, "", "", ""});
        continue;
      }
      table.add_row({system, std::to_string(m->rows), solver.name, m->outcome,
                     std::to_string(m->iterations), format_seconds(m->seconds),
                     format_number(m->residual, "%.1e")});
    }
  }
  print_title(part.title() + ", solves to 1e-8: fused with Jacobi's preconditioner, others without",
              style, out);
  table.print(out, style);
}

}  // namespace

void print_fusion_report(std::span<const FusionMeasurement> measurements, TableStyle style,
                         std::ostream& out) {
  for (const Part& part : device_parts(measurements)) {
    const FusionResults results(measurements, part.device, part.precision);
    print_iterations(part, results, style, out);
    print_steps(part, results, style, out);
    print_dots(part, results, style, out);
    print_solves(part, results, style, out);
  }
  print_title("Statements of Rupp, Weinbub, Juengel and Grasser 2016", style, out);
  print_judgements(judge_fusion(measurements), style, out);
}

}  // namespace sparsecast::cli
