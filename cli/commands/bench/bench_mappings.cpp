#include "cli/commands/bench/bench_mappings.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/bench/mapping_benchmark.hpp"
#include "cli/interrupt.hpp"
#include "cli/mapping_samples.hpp"
#include "cli/matrix_source.hpp"
#include "cli/plots/mapping_plot.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"

namespace sparsecast::cli {

namespace {

using nlohmann::ordered_json;

std::vector<MappingSample> samples_from_files(const BenchOptions& options) {
  std::vector<MappingSample> samples;
  for (const std::string& file : options.from) {
    const std::vector<MappingSample> more = parse_mapping_csv(read_text(file), file);
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return samples;
}

std::vector<MappingSample> measure_mappings(const BenchOptions& options) {
  const std::vector<MatrixSource> sources =
      options.files.empty() ? mapping_matrices() : file_sources(options.files, options.threads);
  const InterruptGuard guard;
  Progress progress("SpMV mappings");
  return measure_mappings(
      benched_gpu(options.device), options.precision, sources,
      [&](double done, const std::string& what) {
        progress.update(done, what);
        return !InterruptGuard::interrupted();
      },
      [](const std::string& what) { warn("left out: " + what); });
}

ordered_json to_json(const MappingSample& sample) {
  return {{"device", sample.device},
          {"matrix", sample.matrix},
          {"precision", to_string(sample.precision)},
          {"kernel", sample.kernel},
          {"block", sample.block_size},
          {"mapping", sample.mapping},
          {"storage", sample.storage},
          {"row_order", sample.row_order},
          {"threads_per_block", sample.threads_per_block},
          {"blocks_at_once", sample.blocks_at_once},
          {"seconds", sample.seconds},
          {"relative_spread", sample.relative_spread},
          {"bytes", sample.bytes},
          {"bytes_per_second", sample.bytes / sample.seconds},
          {"cache",
           sample.cache.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(sample.cache)},
          {"raw_gflops", sample.raw_flops() * 1e-9},
          {"effective_gflops", sample.effective_flops() * 1e-9},
          {"unknowns", sample.unknowns},
          {"nonzeros", sample.nonzeros},
          {"block_elements", sample.block_elements},
          {"stored_elements", sample.stored_elements}};
}

void print_mappings(const std::vector<MappingSample>& samples, TableStyle style,
                    std::ostream& out) {
  const std::vector<TableColumn> columns{TableColumn("matrix"),      TableColumn(""),
                                         TableColumn("N"),           TableColumn("kernel"),
                                         TableColumn("storage"),     TableColumn("rows"),
                                         TableColumn("T", 2),        TableColumn("Bx", 2),
                                         TableColumn("time"),        TableColumn("+-%", 3),
                                         TableColumn("cache", 4),    TableColumn("GB/s", 1),
                                         TableColumn("GFlop/s raw"), TableColumn("effective", 1)};
  Table table(columns);
  for (const MappingSample& s : samples) {
    const bool paper = s.threads_per_block > 0;
    table.add_row({s.matrix, std::string(to_string(s.precision)), std::to_string(s.block_size),
                   paper ? s.mapping : s.kernel, s.storage, s.row_order,
                   paper ? std::to_string(s.threads_per_block) : "",
                   paper ? std::to_string(s.blocks_at_once) : "", format_seconds(s.seconds),
                   format_number(100 * s.relative_spread), s.cache.empty() ? "-" : s.cache,
                   format_number(s.bytes / s.seconds * 1e-9), format_number(s.raw_flops() * 1e-9),
                   format_number(s.effective_flops() * 1e-9)});
  }
  print_paragraph(out, "SpMV by the paper's mappings, " + samples.front().device, style);
  table.print(out, style);
}

}  // namespace

int bench_mappings(const BenchOptions& options) {
  const std::vector<MappingSample> samples =
      options.from.empty() ? measure_mappings(options) : samples_from_files(options);
  if (samples.empty()) {
    require_complete(0);
    throw Error("no mapping was measured");
  }
  if (!options.csv.empty())
    write_file(options.csv, text_for(options.csv, mappings_to_csv(samples)));
  if (!options.figure2.empty()) draw_mappings(options.figure2, samples);
  if (!options.figure9.empty()) draw_block_sizes(options.figure9, samples);
  if (options.json) {
    ordered_json array = ordered_json::array();
    for (const MappingSample& sample : samples) array.push_back(to_json(sample));
    std::cout << json_text(with_json_head("bench", {{"measurements", array}}));
  } else {
    print_mappings(samples, options.style, is_standard_output(options.csv) ? std::cerr : std::cout);
  }
  require_complete(samples.size());
  return 0;
}

}  // namespace sparsecast::cli
