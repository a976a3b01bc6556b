#include "cli/commands/bench/formats/bench_formats.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/formats/format_report.hpp"
#include "cli/interrupt.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"

namespace sparsecast::cli {
namespace {

using nlohmann::ordered_json;

std::vector<FormatMeasurement> read_measurements(const std::vector<std::string>& files) {
  std::vector<FormatMeasurement> measurements;
  for (const std::string& file : files) {
    const std::vector<FormatMeasurement> more = parse_format_csv(read_text(file), file);
    measurements.insert(measurements.end(), more.begin(), more.end());
  }
  return measurements;
}

std::vector<FormatMeasurement> measure(const FormatsRequest& request) {
  const InterruptGuard guard;
  Progress progress("Formats");
  return measure_formats(request, [&](double done, const std::string& what) {
    progress.update(done, what);
    return !InterruptGuard::interrupted();
  });
}

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

ordered_json to_json(const Judgement& judgement) {
  return {{"id", judgement.statement->id},
          {"statement", judgement.statement->text},
          {"paper", judgement.statement->paper},
          {"rule", judgement.statement->rule},
          {"device", judgement.device},
          {"ours", judgement.finding.ours},
          {"verdict", to_string(judgement.finding.verdict)},
          {"why", judgement.finding.why}};
}

void print_json(const std::vector<FormatMeasurement>& measurements) {
  ordered_json json{{"measurements", ordered_json::array()}, {"statements", ordered_json::array()}};
  for (const FormatMeasurement& m : measurements) json["measurements"].push_back(to_json(m));
  for (const Judgement& judgement : judge_statements(measurements)) {
    json["statements"].push_back(to_json(judgement));
  }
  std::cout << json_text(json);
}

}  // namespace

int bench_formats(const FormatsOptions& options) {
  const std::vector<FormatMeasurement> measurements =
      options.from.empty() ? measure(options.request) : read_measurements(options.from);
  if (measurements.empty()) {
    require_complete(0);
    throw Error("no product was measured: no device has products in these layouts");
  }
  if (!options.csv.empty()) {
    write_file(options.csv, text_for(options.csv, format_measurements_to_csv(measurements)));
  }
  if (options.json) {
    print_json(measurements);
  } else {
    print_format_report(measurements, options.markdown ? TableStyle::markdown : TableStyle::plain,
                        is_standard_output(options.csv) ? std::cerr : std::cout);
  }
  require_complete(measurements.size());
  return 0;
}

}  // namespace sparsecast::cli
