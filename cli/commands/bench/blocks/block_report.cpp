#include "cli/commands/bench/blocks/block_report.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/bench/blocks/block_statements.hpp"
#include "cli/commands/bench/blocks/measure_blocks.hpp"
#include "cli/commands/bench/paper/device_parts.hpp"
#include "cli/commands/bench/paper/grid_table.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast::cli {
namespace {

constexpr double giga = 1e9;
constexpr double percent = 100;
constexpr double micro = 1e-6;

using Measurements = std::vector<const BlockMeasurement*>;

using Part = DevicePart<BlockMeasurement>;

std::string matrix_label(const BlockMeasurement& m) {
  std::string label = m.mesh + ", " + m.problem;
  if (m.scale != 1) label += " x " + format_number(m.scale, "%g");
  return label + ", " + m.order;
}

/// The number, or nothing for what was not measured or is not known.
std::string number_or_nothing(double number) {
  return number > 0 ? format_number(number) : "";
}

/// A layout by the name that it has in a file of measurements, which may be of another version.
bool is_usual_name(const std::string& name) {
  return std::ranges::any_of(usual_layouts(),
                             [&](const Layout& layout) { return to_string(layout) == name; });
}

constexpr const char* best_label = "our best";

/// The measurement of a row and column; "our best" is the fastest of the layouts that are ours.
const BlockMeasurement* product_at(const Measurements& products, const std::string& row,
                                   const std::string& column) {
  const BlockMeasurement* best = nullptr;
  for (const BlockMeasurement* m : products) {
    const bool is_of_column = column == best_label ? is_usual_name(m->layout) : m->layout == column;
    if (!m->measured() || matrix_label(*m) != row || !is_of_column) continue;
    if (column != best_label || best == nullptr || m->seconds < best->seconds) best = m;
  }
  return best;
}

void print_products(const Part& part, TableStyle style, std::ostream& out) {
  const Measurements products = part.of("product");
  if (products.empty()) return;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  for (const BlockMeasurement* m : products) {
    add_once(rows, matrix_label(*m));
    add_once(columns, m->layout);
  }
  columns.emplace_back(best_label);
  const auto print = [&](const std::string& unit,
                         const std::function<double(const BlockMeasurement&)>& number) {
    print_grid(
        part.title() + ", products: " + unit, "matrix", rows, columns,
        [&](const std::string& row, const std::string& column) {
          const BlockMeasurement* m = product_at(products, row, column);
          if (m == nullptr) return std::string();
          const std::string text = number_or_nothing(number(*m));
          return column == best_label ? text + " (" + m->layout + ")" : text;
        },
        style, out);
  };
  print("GFlop/s", [](const BlockMeasurement& m) { return m.flops_per_second() / giga; });
  if (products.front()->peak_bytes_per_second > 0) {
    print("% of the data sheet's bandwidth (what caches hold may be above 100)",
          [](const BlockMeasurement& m) { return percent * m.bandwidth_share(); });
  }
  if (products.front()->peak_flops > 0) {
    print("% of the data sheet's flops",
          [](const BlockMeasurement& m) { return percent * m.flops_share(); });
  }
}

void print_iterations(const Part& part, TableStyle style, std::ostream& out) {
  const Measurements iterations = part.of("iteration");
  if (iterations.empty()) return;
  const Measurements products = part.of("product");
  std::vector<std::string> rows;
  for (const BlockMeasurement* m : iterations) add_once(rows, matrix_label(*m));
  const auto find = [&](const std::string& row, std::string_view solver) {
    const BlockMeasurement* last = nullptr;
    for (const BlockMeasurement* m : iterations) {
      if (m->measured() && matrix_label(*m) == row && m->solver == solver) last = m;
    }
    return last;
  };
  const std::vector<std::string> columns{"cnc",       "recorded", "overhead %",  "product %",
                                         "GFlop/s",   "% flops",  "GB/s",        "% bandwidth",
                                         "our fused", "layout",   "ours GFlop/s"};
  print_grid(
      part.title() + ", iterations of Jacobi-CG: us, schedules/cnc.json in bcsr4 and ours",
      "matrix", rows, columns,
      [&](const std::string& row, const std::string& column) -> std::string {
        const BlockMeasurement* cnc = find(row, "cnc");
        const BlockMeasurement* recorded = find(row, "cnc-graph");
        const BlockMeasurement* fused = find(row, "fused");
        if (column == "recorded") {
          return recorded ? format_number(recorded->seconds / micro) : "";
        }
        if (column == "our fused") return fused ? format_number(fused->seconds / micro) : "";
        if (column == "layout") return fused ? fused->layout : "";
        if (column == "ours GFlop/s") {
          return fused ? format_number(fused->flops_per_second() / giga) : "";
        }
        if (cnc == nullptr) return "";
        if (column == "cnc") return format_number(cnc->seconds / micro);
        if (column == "overhead %") {
          return recorded ? format_number(percent * (1 - recorded->seconds / cnc->seconds)) : "";
        }
        if (column == "product %") {
          const BlockMeasurement* product = product_at(products, row, cnc->layout);
          return product ? format_number(percent * product->seconds / cnc->seconds) : "";
        }
        if (column == "GFlop/s") return format_number(cnc->flops_per_second() / giga);
        if (column == "% flops") return number_or_nothing(percent * cnc->flops_share());
        if (column == "GB/s") return format_number(cnc->bytes_per_second() / giga);
        return number_or_nothing(percent * cnc->bandwidth_share());
      },
      style, out);
}

void print_vectors(const Part& part, TableStyle style, std::ostream& out) {
  Table table({"operation", "values", "values a block", "time", "GFlop/s", "% flops", "GB/s",
               "% bandwidth"});
  bool any = false;
  for (const char* what : {"saxpy", "dot"}) {
    for (const BlockMeasurement* m : part.of(what)) {
      if (!m->measured()) continue;
      any = true;
      table.add_row({m->what, std::to_string(m->rows),
                     m->number > 0 ? format_number(m->number, "%g") : "",
                     format_seconds(m->seconds), format_number(m->flops_per_second() / giga),
                     number_or_nothing(percent * m->flops_share()),
                     format_number(m->bytes_per_second() / giga),
                     number_or_nothing(percent * m->bandwidth_share())});
    }
  }
  if (!any) return;
  print_title(part.title() + ", vectors", style, out);
  table.print(out, style);
}

void print_history(const std::vector<Part>& parts, TableStyle style, std::ostream& out) {
  Table table({"device", "iterations", "recurrence's ||r|| / ||b||", "||b - Ax|| / ||b||"});
  bool any = false;
  for (const Part& part : parts) {
    for (const BlockMeasurement* m : part.of("history")) {
      if (!m->measured()) continue;
      any = true;
      table.add_row({part.device, format_number(m->number, "%g"),
                     format_number(m->recurrence, "%.2e"), format_number(m->residual, "%.2e")});
    }
  }
  if (!any) return;
  print_title("Residuals of schedules/cnc.json, parameterization of the largest mesh, f32", style,
              out);
  table.print(out, style);
}

}  // namespace

void print_block_report(std::span<const BlockMeasurement> measurements, TableStyle style,
                        std::ostream& out) {
  const std::vector<Part> parts = device_parts(measurements);
  for (const Part& part : parts) {
    print_products(part, style, out);
    print_iterations(part, style, out);
    print_vectors(part, style, out);
  }
  print_history(parts, style, out);
  print_title("Statements of Buatois, Caumon and Levy 2009", style, out);
  print_judgements(judge_blocks(measurements), style, out);
}

}  // namespace sparsecast::cli
