#include "cli/commands/bench/blocks/block_measurement.hpp"

#include "cli/commands/bench/paper/measured_csv.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

constexpr std::string_view csv_header =
    "what,mesh,problem,order,scale,rows,nonzeros,device,description,peak_gb_per_s,peak_gflops,"
    "cache_bytes,precision,solver,layout,number,us,spread,rounds,repeats,stored_elements,flops,"
    "bytes,recurrence,residual,gflops,gb_per_s,reason";

constexpr double giga = 1e9;
constexpr double micro = 1e-6;
constexpr double thousandths = 1e3;
/// Nothing is faster.
constexpr double least_seconds = 1e-12;

/// Empty where there is none.
std::string rate_text(double rate) {
  return rate > 0 ? rounded_text(rate / giga, thousandths) : "";
}

BlockMeasurement parse_cells(CsvCells& cells) {
  BlockMeasurement m;
  m.what = cells.one_of({"product", "iteration", "saxpy", "dot", "history"});
  m.mesh = cells.text();
  m.problem = cells.text();
  m.order = cells.text();
  m.scale = cells.number();
  m.rows = cells.count();
  m.nonzeros = cells.count();
  m.device = cells.text();
  m.description = cells.text();
  m.peak_bytes_per_second = cells.number() * giga;
  m.peak_flops = cells.number() * giga;
  m.cache_bytes = cells.number();
  m.precision = cells.one_of({"f32", "f64"}) == "f32" ? Precision::f32 : Precision::f64;
  m.solver = cells.text();
  m.layout = cells.text();
  m.number = cells.number();
  m.seconds = cells.number() * micro;
  m.spread = cells.number();
  m.rounds = cells.count();
  m.repeats = cells.count();
  m.stored_elements = cells.number();
  m.flops = cells.number();
  m.bytes = cells.number();
  m.recurrence = cells.number();
  m.residual = cells.number();
  cells.skip(2);
  m.reason = cells.text();
  const bool is_timed = m.measured() && m.what != "history";
  if (m.rows == 0 || (is_timed && (m.seconds < least_seconds || m.flops == 0 || m.bytes == 0))) {
    cells.refuse("a measurement of nothing");
  }
  return m;
}

}  // namespace

std::string block_measurements_to_csv(std::span<const BlockMeasurement> measurements) {
  std::string csv(csv_header);
  csv += '\n';
  for (const BlockMeasurement& m : measurements) {
    csv += csv_line({m.what,
                     m.mesh,
                     m.problem,
                     m.order,
                     number_text(m.scale),
                     std::to_string(m.rows),
                     std::to_string(m.nonzeros),
                     m.device,
                     m.description,
                     rounded_text(m.peak_bytes_per_second / giga, thousandths),
                     rounded_text(m.peak_flops / giga, thousandths),
                     number_text(m.cache_bytes),
                     std::string(to_string(m.precision)),
                     m.solver,
                     m.layout,
                     number_text(m.number),
                     microseconds_text(m.seconds),
                     number_text(m.spread),
                     std::to_string(m.rounds),
                     std::to_string(m.repeats),
                     number_text(m.stored_elements),
                     number_text(m.flops),
                     number_text(m.bytes),
                     number_text(m.recurrence),
                     number_text(m.residual),
                     rate_text(m.flops_per_second()),
                     rate_text(m.bytes_per_second()),
                     m.reason});
  }
  return csv;
}

std::vector<BlockMeasurement> parse_block_csv(std::string_view text, const std::string& name) {
  std::vector<BlockMeasurement> measurements;
  read_csv_lines(text, name, csv_header, "blocks",
                 [&](CsvCells cells) { measurements.push_back(parse_cells(cells)); });
  return measurements;
}

}  // namespace sparsecast::cli
