#include "cli/commands/bench/blocks/bench_blocks.hpp"

#include <nlohmann/json.hpp>

#include "cli/commands/bench/blocks/block_chart.hpp"
#include "cli/commands/bench/blocks/block_report.hpp"
#include "cli/commands/bench/blocks/block_statements.hpp"
#include "cli/commands/bench/paper/paper_benchmark.hpp"

namespace sparsecast::cli {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const BlockMeasurement& m) {
  ordered_json json{{"what", m.what}};
  if (!m.mesh.empty()) {
    json["mesh"] = m.mesh;
    json["problem"] = m.problem;
    json["order"] = m.order;
    json["nonzeros"] = m.nonzeros;
  }
  json["scale"] = m.scale;
  json["rows"] = m.rows;
  json["device"] = m.device;
  json["description"] = m.description;
  json["precision"] = to_string(m.precision);
  if (!m.solver.empty()) json["solver"] = m.solver;
  if (!m.layout.empty()) json["layout"] = m.layout;
  if (!m.measured()) {
    json["reason"] = m.reason;
    return json;
  }
  if (m.what == "history") {
    json["iterations"] = m.number;
    json["recurrence"] = m.recurrence;
    json["residual"] = m.residual;
    return json;
  }
  if (m.what == "iteration") json["launches"] = m.number;
  if (m.what == "dot") json["values_per_block"] = m.number;
  constexpr double giga = 1e9;
  json["seconds"] = m.seconds;
  json["relative_spread"] = m.spread;
  json["rounds"] = m.rounds;
  json["repeats"] = m.repeats;
  json["gflops"] = m.flops_per_second() / giga;
  json["bytes_per_second"] = m.bytes_per_second();
  json["bytes"] = m.bytes;
  if (m.stored_elements > 0) json["stored_elements"] = m.stored_elements;
  if (m.peak_bytes_per_second > 0) json["share_of_bandwidth"] = m.bandwidth_share();
  if (m.peak_flops > 0) json["share_of_flops"] = m.flops_share();
  return json;
}

}  // namespace

int bench_blocks(const BlocksOptions& options) {
  return run_paper_benchmark<BlockMeasurement>(
      options,
      {"Blocks",
       [&](const ProgressReport& progress) { return measure_blocks(options.request, progress); },
       parse_block_csv, block_measurements_to_csv, draw_blocks, to_json, judge_blocks,
       print_block_report});
}

}  // namespace sparsecast::cli
