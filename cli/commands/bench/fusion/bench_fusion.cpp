#include "cli/commands/bench/fusion/bench_fusion.hpp"

#include <nlohmann/json.hpp>

#include "cli/commands/bench/fusion/fusion_chart.hpp"
#include "cli/commands/bench/fusion/fusion_report.hpp"
#include "cli/commands/bench/fusion/fusion_statements.hpp"
#include "cli/commands/bench/paper/paper_benchmark.hpp"

namespace sparsecast::cli {
namespace {

nlohmann::ordered_json to_json(const FusionMeasurement& m) {
  nlohmann::ordered_json json{{"what", m.what}};
  if (!m.matrix.empty()) {
    json["matrix"] = m.matrix;
    json["nonzeros"] = m.nonzeros;
  }
  if (m.size > 0) json["size"] = m.size;
  json["rows"] = m.rows;
  json["device"] = m.device;
  json["description"] = m.description;
  json["precision"] = to_string(m.precision);
  if (!m.solver.empty()) json["solver"] = m.solver;
  if (!m.launch.empty()) json["launch"] = m.launch;
  if (m.basis > 0) {
    json["basis"] = m.basis;
    json["dots_per_pass"] = m.dots;
  }
  if (!m.measured()) {
    json["reason"] = m.reason;
    return json;
  }
  json["seconds"] = m.seconds;
  json["relative_spread"] = m.spread;
  json["rounds"] = m.rounds;
  json["repeats"] = m.repeats;
  if (m.what == "solve") {
    json["iterations"] = m.iterations;
    json["outcome"] = m.outcome;
    json["residual"] = m.residual;
    return json;
  }
  json["kernels"] = m.counted.kernels;
  json["sums"] = m.counted.sums;
  json["waits"] = m.counted.waits;
  json["values_per_unknown"] = m.counted.values;
  json["launches"] = m.launches;
  json["host_waits"] = m.host_waits;
  json["bytes"] = m.bytes;
  json["bytes_per_second"] = m.bytes / m.seconds;
  return json;
}

}  // namespace

int bench_fusion(const FusionOptions& options) {
  return run_paper_benchmark<FusionMeasurement>(
      options,
      {"Fusion",
       [&](const ProgressReport& progress) { return measure_fusion(options.request, progress); },
       parse_fusion_csv, fusion_measurements_to_csv, draw_fusion, to_json, judge_fusion,
       print_fusion_report});
}

}  // namespace sparsecast::cli
