#include "cli/commands/bench/formats/format_report.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "cli/commands/bench/formats/format_parts.hpp"
#include "cli/commands/bench/formats/paper_table1.hpp"
#include "cli/commands/bench/paper/grid_table.hpp"

namespace sparsecast::cli {
namespace {

constexpr double giga = 1e9;

void print_matrix_table(const FormatPart& part, const std::string& unit,
                        const std::function<double(const FormatMeasurement&)>& number,
                        TableStyle style, std::ostream& out) {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  for (const FormatMeasurement* m : part.measurements) {
    add_once(rows, matrix_label(*m));
    add_once(columns, layout_label(*m));
  }
  print_grid(
      part.title() + ": " + unit, "matrix", rows, columns,
      [&](const std::string& row, const std::string& column) {
        const FormatMeasurement* best = part.best(row, column);
        return best == nullptr ? "" : format_number(number(*best));
      },
      style, out);
}

void print_rates(const FormatPart& part, TableStyle style, std::ostream& out) {
  print_matrix_table(
      part, "GFlop/s", [](const FormatMeasurement& m) { return m.flops_per_second() / giga; },
      style, out);
  print_matrix_table(
      part, "GB/s, each array once",
      [](const FormatMeasurement& m) { return m.bytes_per_second() / giga; }, style, out);
  if (part.measurements.front()->peak_bytes_per_second == 0) return;
  print_matrix_table(
      part, "% of the data sheet's bandwidth (what caches hold may be above 100)",
      [](const FormatMeasurement& m) {
        constexpr double percent = 100;
        return percent * m.bytes_per_second() / m.peak_bytes_per_second;
      },
      style, out);
}

/// The paper counts no padding, no offsets and no COO part of HYB.
void print_bytes_per_flop(const std::vector<FormatPart>& parts, TableStyle style,
                          std::ostream& out) {
  print_title("Bytes per flop: what is stored and a value of the vector for each nonzero", style,
              out);
  Table table({"layout", "", "Table 1", "least", "of", "most", "of"});
  for (const PaperBytes& line : paper_table1()) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const FormatMeasurement* least = nullptr;
      const FormatMeasurement* most = nullptr;
      for (const FormatPart& part : parts) {
        for (const FormatMeasurement* m : part.measurements) {
          if (!m->measured() || m->layout != line.layout || m->precision != precision) continue;
          if (!least || m->bytes_per_flop() < least->bytes_per_flop()) least = m;
          if (!most || m->bytes_per_flop() > most->bytes_per_flop()) most = m;
        }
      }
      if (least == nullptr) continue;
      table.add_row({line.layout, std::string(to_string(precision)),
                     format_number(line.per_flop(precision)),
                     format_number(least->bytes_per_flop()), matrix_label(*least),
                     format_number(most->bytes_per_flop()), matrix_label(*most)});
    }
  }
  table.print(out, style);
}

}  // namespace

void print_format_report(std::span<const FormatMeasurement> measurements, TableStyle style,
                         std::ostream& out) {
  const std::vector<FormatPart> parts = format_parts(measurements);
  for (const FormatPart& part : parts) print_rates(part, style, out);
  print_bytes_per_flop(parts, style, out);
  print_title("Statements of Bell and Garland 2008", style, out);
  print_judgements(judge_statements(measurements), style, out);
}

}  // namespace sparsecast::cli
