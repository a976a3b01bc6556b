#include "cli/commands/bench/formats/bench_formats.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/formats/format_chart.hpp"
#include "cli/commands/bench/formats/format_report.hpp"
#include "cli/commands/bench/paper/paper_benchmark.hpp"
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

std::vector<FormatMeasurement> measured(const FormatsOptions& options,
                                        const ProgressReport& progress) {
  std::vector<FormatMeasurement> measurements = measure_formats(options.request, progress);
  if (measurements.empty()) {
    require_complete(0);
    throw Error("no product was measured: no device has products in these layouts");
  }
  return measurements;
}

}  // namespace

int bench_formats(const FormatsOptions& options) {
  return run_paper_benchmark<FormatMeasurement>(
      options,
      {"Formats", [&](const ProgressReport& progress) { return measured(options, progress); },
       parse_format_csv, format_measurements_to_csv, draw_formats, to_json, judge_statements,
       print_format_report});
}

}  // namespace sparsecast::cli
