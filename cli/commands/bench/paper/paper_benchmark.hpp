#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/paper/judgement.hpp"
#include "cli/commands/bench/paper/paper_options.hpp"
#include "cli/commands/bench/paper/paper_output.hpp"

namespace sparsecast::cli {

/// A benchmark of a paper: how it measures, and what becomes of its measurements.
template <class Measurement>
struct PaperBenchmark {
  const char* title;  ///< of its bar of progress
  std::function<std::vector<Measurement>(const ProgressReport& progress)> measure;
  std::vector<Measurement> (*parse)(std::string_view text, const std::string& name);
  std::string (*to_csv)(std::span<const Measurement> measurements);
  void (*draw)(const std::filesystem::path& file, std::span<const Measurement> measurements);
  nlohmann::ordered_json (*to_json)(const Measurement& measurement);
  std::vector<Judgement> (*judge)(std::span<const Measurement> measurements);
  void (*print)(std::span<const Measurement> measurements, TableStyle style, std::ostream& out);
};

/// Measures, or reads what was measured before; writes and prints what was asked for. Returns the
/// exit status; Ctrl-C ends it early, keeps what was measured and throws `Interrupted`.
template <class Measurement>
int run_paper_benchmark(const PaperOptions& options, const PaperBenchmark<Measurement>& benchmark) {
  std::vector<Measurement> measurements;
  if (options.from.empty()) {
    measure_with_progress(benchmark.title, [&](const ProgressReport& progress) {
      measurements = benchmark.measure(progress);
    });
  } else {
    measurements = read_measured(options.from, benchmark.parse);
  }
  write_measured(options.csv, benchmark.to_csv(measurements));
  if (!options.chart.empty()) benchmark.draw(options.chart, measurements);
  if (options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Measurement& m : measurements) json.push_back(benchmark.to_json(m));
    print_measured_json(std::move(json), benchmark.judge(measurements));
  } else {
    benchmark.print(measurements, options.style, report_stream(options.csv));
  }
  require_complete(measurements.size());
  return 0;
}

}  // namespace sparsecast::cli
