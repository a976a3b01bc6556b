#include "cli/commands/bench/formats/format_measurement.hpp"

#include "cli/commands/bench/paper/measured_csv.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

constexpr std::string_view csv_header =
    "set,matrix,source,scale,rows,columns,nonzeros,device,description,peak_gb_per_s,cache_bytes,"
    "precision,layout,x,us,spread,rounds,repeats,stored_elements,stored_bytes,bytes,gflops,"
    "gb_per_s,bytes_per_flop,reason";
constexpr double giga = 1e9;
constexpr double micro = 1e-6;
/// Nothing is faster.
constexpr double least_seconds = 1e-12;

constexpr double thousandths = 1e3;

/// Empty where nothing was measured.
std::string rate_text(const FormatMeasurement& m, double rate) {
  return m.measured() ? rounded_text(rate, thousandths) : "";
}

FormatMeasurement parse_cells(CsvCells& cells) {
  FormatMeasurement m;
  m.set = cells.one_of({"structured", "unstructured"});
  m.matrix = cells.text();
  m.source = cells.text();
  m.scale = cells.number();
  m.rows = cells.count();
  m.columns = cells.count();
  m.nonzeros = cells.count();
  m.device = cells.text();
  m.description = cells.text();
  m.peak_bytes_per_second = cells.number() * giga;
  m.cache_bytes = cells.number();
  m.precision = cells.one_of({"f32", "f64"}) == "f32" ? Precision::f32 : Precision::f64;
  m.layout = cells.text();
  m.x = cells.one_of({"l1", "l2"});
  m.seconds = cells.number() * micro;
  m.spread = cells.number();
  m.rounds = cells.count();
  m.repeats = cells.count();
  m.stored_elements = cells.number();
  m.stored_bytes = cells.number();
  m.bytes = cells.number();
  cells.skip(3);
  m.reason = cells.text();
  const bool is_nothing = m.rows == 0 || m.nonzeros == 0;
  if (is_nothing || (m.measured() && (m.bytes == 0 || m.seconds < least_seconds))) {
    cells.refuse("a product of nothing");
  }
  return m;
}

}  // namespace

std::string format_measurements_to_csv(std::span<const FormatMeasurement> measurements) {
  std::string csv(csv_header);
  csv += '\n';
  for (const FormatMeasurement& m : measurements) {
    csv += csv_line({m.set,
                     m.matrix,
                     m.source,
                     number_text(m.scale),
                     std::to_string(m.rows),
                     std::to_string(m.columns),
                     std::to_string(m.nonzeros),
                     m.device,
                     m.description,
                     rounded_text(m.peak_bytes_per_second / giga, thousandths),
                     number_text(m.cache_bytes),
                     std::string(to_string(m.precision)),
                     m.layout,
                     m.x,
                     microseconds_text(m.seconds),
                     number_text(m.spread),
                     std::to_string(m.rounds),
                     std::to_string(m.repeats),
                     number_text(m.stored_elements),
                     number_text(m.stored_bytes),
                     number_text(m.bytes),
                     rate_text(m, m.flops_per_second() / giga),
                     rate_text(m, m.bytes_per_second() / giga),
                     rate_text(m, m.bytes_per_flop()),
                     m.reason});
  }
  return csv;
}

std::vector<FormatMeasurement> parse_format_csv(std::string_view text, const std::string& name) {
  std::vector<FormatMeasurement> measurements;
  read_csv_lines(text, name, csv_header, "formats",
                 [&](CsvCells cells) { measurements.push_back(parse_cells(cells)); });
  return measurements;
}

}  // namespace sparsecast::cli
