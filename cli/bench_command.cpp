#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "core/backend.hpp"
#include "core/generators.hpp"
#include "core/matrix_market.hpp"
#include "core/microbenchmark_schedules.hpp"
#include "core/stopwatch.hpp"

namespace sparsecast::cli {
namespace {

using nlohmann::ordered_json;

struct BenchOptions {
  std::vector<std::string> files;
  Precision precision = Precision::f64;
  int threads = 0;
  bool json = false;
};

/// What a benchmark says of one matrix in one layout.
struct Measurement {
  std::string matrix;
  Layout layout;
  std::int64_t nonzeros = 0;
  double stored_elements = 0;
  double bytes = 0;  ///< moved in principle by one run
  Timing timing;

  double bytes_per_second() const { return bytes / timing.median_seconds; }
  /// Counts all block elements.
  double raw_flops() const { return 2 * stored_elements / timing.median_seconds; }
  /// Counts nonzeros only.
  double effective_flops() const {
    return 2 * static_cast<double>(nonzeros) / timing.median_seconds;
  }
};

/// A matrix that is made when its turn comes, so that only one is in memory.
struct MatrixSource {
  std::string name;
  std::function<CsrMatrix<double>()> make;
};

/// The files, or a small generated set: a grid in the plane, one in space, and finite elements.
std::vector<MatrixSource> matrices(const BenchOptions& options) {
  std::vector<MatrixSource> sources;
  for (const std::string& file : options.files) {
    sources.push_back(
        {std::filesystem::path(file).filename().string(), [file, threads = options.threads] {
           MatrixMarketOptions reading;
           reading.threads = threads;
           return read_matrix_market(file, reading).matrix;
         }});
  }
  if (sources.empty()) {
    sources = {{"5-point 1000^2", [] { return laplacian(5, 1000, 1000); }},
               {"27-point 60^3", [] { return laplacian(27, 60, 60, 60); }},
               {"FEM P1 30^3", [] { return fem_elasticity(1, 30, 1); }}};
  }
  return sources;
}

template <class T>
Measurement measure_spmv(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout) {
  const Schedule schedule = single_step_schedule("SpMV");
  const auto prepared = backend.prepare(schedule, matrix.view(), layout);
  const std::vector<T> ones(static_cast<std::size_t>(matrix.columns), T{1});
  prepared->set_vector(
      schedule.vectors[static_cast<std::size_t>(schedule.iteration.front().vectors.front())].name,
      ones);
  Measurement result;
  result.layout = layout;
  result.nonzeros = matrix.nonzeros();
  for (const SegmentShape& segment : prepared->segments()) {
    result.stored_elements += segment.elements;
    result.bytes += bytes_moved(schedule.iteration.front(), segment, precision_of<T>()).total();
  }
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = 0.3;
  result.timing = measure([&](std::int64_t repeats) { prepared->run(repeats); }, stopwatch);
  return result;
}

ordered_json to_json(const Measurement& measurement, Precision precision) {
  return {{"matrix", measurement.matrix},
          {"layout", to_string(measurement.layout)},
          {"block", measurement.layout.block_size},
          {"precision", to_string(precision)},
          {"seconds", measurement.timing.median_seconds},
          {"relative_spread", measurement.timing.relative_spread},
          {"rounds", measurement.timing.round_seconds.size()},
          {"bytes", measurement.bytes},
          {"bytes_per_second", measurement.bytes_per_second()},
          {"raw_gflops", measurement.raw_flops() * 1e-9},
          {"effective_gflops", measurement.effective_flops() * 1e-9},
          {"nonzeros", measurement.nonzeros},
          {"stored_elements", measurement.stored_elements}};
}

void add_to_table(Table& table, const Measurement& measurement) {
  table.add_row({measurement.matrix, to_string(measurement.layout),
                 format_seconds(measurement.timing.median_seconds),
                 format_number(100 * measurement.timing.relative_spread),
                 format_number(measurement.bytes_per_second() * 1e-9),
                 format_number(measurement.raw_flops() * 1e-9),
                 format_number(measurement.effective_flops() * 1e-9)});
}

/// SpMV in every layout, on every matrix. Ctrl-C ends it early and keeps what was measured.
template <class T>
int bench_spmv(const BenchOptions& options) {
  const auto backend = open_backend("cpu", options.threads);
  std::vector<Measurement> measurements;
  {
    const InterruptGuard guard;
    Progress progress("bench spmv");
    const std::vector<MatrixSource> sources = matrices(options);
    const double total = static_cast<double>(sources.size() * block_sizes.size());
    for (const MatrixSource& source : sources) {
      if (InterruptGuard::interrupted()) break;
      const CsrMatrix<T> matrix = convert_values<T>(source.make().view());
      if (matrix.rows != matrix.columns) {
        throw Error(source.name + ": " + std::to_string(matrix.rows) + " rows and " +
                    std::to_string(matrix.columns) + " columns; expected a square matrix");
      }
      for (const int block_size : block_sizes) {
        if (InterruptGuard::interrupted()) break;
        const Layout layout = block_layout(block_size);
        progress.update(static_cast<double>(measurements.size()) / total,
                        source.name + ", " + to_string(layout));
        measurements.push_back(measure_spmv(*backend, matrix, layout));
        measurements.back().matrix = source.name;
      }
    }
  }
  if (options.json) {
    ordered_json array = ordered_json::array();
    for (const Measurement& measurement : measurements) {
      array.push_back(to_json(measurement, options.precision));
    }
    std::cout << array.dump(2) << '\n';
  } else {
    std::cout << "SpMV, " << to_string(options.precision) << ", " << backend->description() << '\n';
    Table table({"matrix", "layout", "time", "+-%", "GB/s", "GFlop/s raw", "effective"});
    for (const Measurement& measurement : measurements) add_to_table(table, measurement);
    table.print(std::cout);
  }
  return InterruptGuard::interrupted() ? 1 : 0;
}

/// A thing to measure: one row here for each.
struct Benchmark {
  const char* name;
  int (*run_f32)(const BenchOptions&);
  int (*run_f64)(const BenchOptions&);
};
constexpr std::array benchmarks{Benchmark{"spmv", bench_spmv<float>, bench_spmv<double>}};

int run(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  CommandLine line(
      "bench", "spmv [MATRIX...] [options]",
      "Measures the sparse matrix-vector product on this machine in every layout, for\n"
      "Matrix Market files or, without any, a small generated set. GB/s counts matrix\n"
      "and vectors once; raw GFlop/s counts all block elements, effective nonzeros only.",
      "sparsecast bench spmv --precision f32");
  line.add()("what", po::value<std::string>(), "spmv")(
      "matrix", po::value<std::vector<std::string>>(), "Matrix Market files")(
      "precision", po::value<std::string>()->default_value("f64"), "f32 or f64")(
      "threads", po::value<int>()->default_value(0), "0: all")("json", "print an array of objects");
  line.positional("what", 1);
  line.positional("matrix", -1);
  if (!line.parse(arguments)) return 0;

  BenchOptions options;
  if (line.has("matrix")) options.files = line.get<std::vector<std::string>>("matrix");
  options.precision = parse_precision("--precision", line.get<std::string>("precision"));
  options.threads = line.get<int>("threads");
  options.json = line.has("json");
  if (options.threads < 0) throw UsageError("--threads: expected 0 (all) or a positive number");
  const std::string& what = line.get<std::string>("what");
  const auto found = std::ranges::find_if(
      benchmarks, [&](const Benchmark& benchmark) { return what == benchmark.name; });
  if (found == benchmarks.end())
    throw UsageError("nothing to measure called '" + what + "'; expected spmv");
  return options.precision == Precision::f32 ? found->run_f32(options) : found->run_f64(options);
}

}  // namespace

extern const Command bench_command;
const Command bench_command{"bench", "measure kernels on this machine", run};

}  // namespace sparsecast::cli
