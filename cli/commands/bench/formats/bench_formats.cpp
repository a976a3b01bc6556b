#include "cli/commands/bench/formats/bench_formats.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/formats/format_chart.hpp"
#include "cli/commands/bench/formats/format_report.hpp"
#include "cli/commands/bench/paper/paper_output.hpp"
#include "core/base/error.hpp"

namespace sparsecast::cli {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const FormatMeasurement& m) {
  ordered_json json{{"set", m.set},
                    {"matrix", m.matrix},
                    {"source", m.source},
                    {"scale", m.scale},
                    {"rows", m.rows},
                    {"columns", m.columns},
                    {"nonzeros", m.nonzeros},
                    {"device", m.device},
                    {"description", m.description},
                    {"precision", to_string(m.precision)},
                    {"layout", m.layout},
                    {"x", m.x}};
  if (!m.measured()) {
    json["reason"] = m.reason;
    return json;
  }
  constexpr double giga = 1e9;
  json["seconds"] = m.seconds;
  json["relative_spread"] = m.spread;
  json["rounds"] = m.rounds;
  json["repeats"] = m.repeats;
  json["gflops"] = m.flops_per_second() / giga;
  json["bytes_per_second"] = m.bytes_per_second();
  json["bytes"] = m.bytes;
  json["stored_bytes"] = m.stored_bytes;
  json["stored_elements"] = m.stored_elements;
  json["bytes_per_flop"] = m.bytes_per_flop();
  return json;
}

}  // namespace

int bench_formats(const FormatsOptions& options) {
  std::vector<FormatMeasurement> measurements;
  if (options.from.empty()) {
    measure_with_progress("Formats", [&](const ProgressReport& progress) {
      measurements = measure_formats(options.request, progress);
    });
  } else {
    measurements = read_measured(options.from, parse_format_csv);
  }
  if (measurements.empty()) {
    require_complete(0);
    throw Error("no product was measured: no device has products in these layouts");
  }
  write_measured(options.csv, format_measurements_to_csv(measurements));
  if (!options.chart.empty()) draw_formats(options.chart, measurements);
  if (options.json) {
    ordered_json json = ordered_json::array();
    for (const FormatMeasurement& m : measurements) json.push_back(to_json(m));
    print_measured_json(std::move(json), judge_statements(measurements));
  } else {
    print_format_report(measurements, options.style, report_stream(options.csv));
  }
  require_complete(measurements.size());
  return 0;
}

}  // namespace sparsecast::cli
