#include "cli/commands/bench/fusion/fusion_measurement.hpp"

#include "cli/commands/bench/paper/measured_csv.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast::cli {
namespace {

constexpr std::string_view csv_header =
    "what,matrix,size,rows,nonzeros,device,description,precision,solver,launch,basis,dots,kernels,"
    "sums,waits,values,launches,host_waits,us,spread,rounds,repeats,bytes,iterations,outcome,"
    "residual,gb_per_s,reason";

constexpr double giga = 1e9;
constexpr double micro = 1e-6;
constexpr double thousandths = 1e3;
/// Nothing is faster.
constexpr double least_seconds = 1e-12;

FusionMeasurement parse_cells(CsvCells& cells) {
  FusionMeasurement m;
  m.what = cells.one_of({"iteration", "dots", "gram-schmidt", "solve"});
  m.matrix = cells.text();
  m.size = cells.count();
  m.rows = cells.count();
  m.nonzeros = cells.count();
  m.device = cells.text();
  m.description = cells.text();
  m.precision = cells.one_of({"f32", "f64"}) == "f32" ? Precision::f32 : Precision::f64;
  m.solver = cells.text();
  m.launch = cells.one_of({"", "host", "graph", "persistent"});
  m.basis = cells.count();
  m.dots = cells.count();
  m.counted.kernels = static_cast<int>(cells.count());
  m.counted.sums = static_cast<int>(cells.count());
  m.counted.waits = static_cast<int>(cells.count());
  m.counted.values = cells.number();
  m.launches = cells.number();
  m.host_waits = cells.number();
  m.seconds = cells.number() * micro;
  m.spread = cells.number();
  m.rounds = cells.count();
  m.repeats = cells.count();
  m.bytes = cells.number();
  m.iterations = cells.count();
  m.outcome = cells.text();
  m.residual = cells.number();
  cells.skip(1);
  m.reason = cells.text();
  const bool is_timed = m.measured() && m.what != "solve";
  if (m.measured() && (m.rows == 0 || (is_timed && m.seconds < least_seconds))) {
    cells.refuse("a measurement of nothing");
  }
  return m;
}

}  // namespace

bool is_solved(const FusionMeasurement& m) {
  return m.outcome == to_string(Outcome::converged);
}

std::string fusion_measurements_to_csv(std::span<const FusionMeasurement> measurements) {
  std::string csv(csv_header);
  csv += '\n';
  for (const FusionMeasurement& m : measurements) {
    const bool has_rate = m.seconds > 0 && m.bytes > 0;
    csv += csv_line({m.what,
                     m.matrix,
                     std::to_string(m.size),
                     std::to_string(m.rows),
                     std::to_string(m.nonzeros),
                     m.device,
                     m.description,
                     std::string(to_string(m.precision)),
                     m.solver,
                     m.launch,
                     std::to_string(m.basis),
                     std::to_string(m.dots),
                     std::to_string(m.counted.kernels),
                     std::to_string(m.counted.sums),
                     std::to_string(m.counted.waits),
                     number_text(m.counted.values),
                     number_text(m.launches),
                     number_text(m.host_waits),
                     microseconds_text(m.seconds),
                     number_text(m.spread),
                     std::to_string(m.rounds),
                     std::to_string(m.repeats),
                     number_text(m.bytes),
                     std::to_string(m.iterations),
                     m.outcome,
                     number_text(m.residual),
                     has_rate ? rounded_text(m.bytes / m.seconds / giga, thousandths) : "",
                     m.reason});
  }
  return csv;
}

std::vector<FusionMeasurement> parse_fusion_csv(std::string_view text, const std::string& name) {
  std::vector<FusionMeasurement> measurements;
  read_csv_lines(text, name, csv_header, "fusion",
                 [&](CsvCells cells) { measurements.push_back(parse_cells(cells)); });
  return measurements;
}

}  // namespace sparsecast::cli
