#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "core/backend.hpp"
#include "core/cg_schedule.hpp"
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
  double vector_flops = 0;  ///< of one run, beside the multiplication
  double bytes = 0;         ///< moved in principle by one run
  double seconds = 0;       ///< of one run
  Timing timing;

  double bytes_per_second() const { return bytes / seconds; }
  /// Counts all block elements.
  double raw_flops() const { return (2 * stored_elements + vector_flops) / seconds; }
  /// Counts nonzeros only.
  double effective_flops() const {
    return (2 * static_cast<double>(nonzeros) + vector_flops) / seconds;
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
  result.seconds = result.timing.median_seconds;
  return result;
}

/// Iterations of Algorithm 1 that are timed together: few enough that a residual stays a number
/// in f32, many enough that the start of the threads does not count.
constexpr int cg_iterations = 20;

template <class T>
Measurement measure_cg(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout) {
  const Schedule schedule = algorithm1_schedule();
  const auto prepared = backend.prepare(schedule, matrix.view(), layout);
  const std::vector<T> ones(static_cast<std::size_t>(matrix.rows), T{1});
  const std::vector<T> zeros(static_cast<std::size_t>(matrix.rows), T{0});
  std::vector<T> scale(ones);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      if (matrix.column_indices[k] == row) scale[row] = 1 / std::sqrt(matrix.values[k]);
    }
  }
  prepared->set_vector("b", ones);
  prepared->set_vector("c", scale);
  Measurement result;
  result.layout = layout;
  result.nonzeros = matrix.nonzeros();
  for (const SegmentShape& segment : prepared->segments()) {
    result.stored_elements += segment.elements;
    for (const Step& step : schedule.iteration) {
      if (!step.guard) result.bytes += bytes_moved(step, segment, precision_of<T>()).total();
      result.vector_flops += step.charged_per_iteration * step.flops.per_unknown * segment.unknowns;
    }
  }
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = 0.3;
  RunReport report;
  double iterating_seconds = 0;  // a clock that stands still while a run is set up
  result.timing = measure(
      [&](std::int64_t repeats) {
        for (std::int64_t i = 0; i < repeats; ++i) {
          prepared->set_vector("x", zeros);
          prepared->run_setup();
          const auto start = std::chrono::steady_clock::now();
          report = prepared->run(cg_iterations);
          iterating_seconds +=
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
      },
      stopwatch, [&] { return iterating_seconds; });
  result.seconds = result.timing.median_seconds / cg_iterations;
  if (report.iterations != cg_iterations) {
    throw Error("conjugate gradients ended after " + std::to_string(report.iterations) +
                " iterations (" + std::string(to_string(report.outcome)) +
                "); expected a symmetric positive definite matrix");
  }
  return result;
}

ordered_json to_json(const Measurement& measurement, Precision precision) {
  return {{"matrix", measurement.matrix},
          {"layout", to_string(measurement.layout)},
          {"block", measurement.layout.block_size},
          {"precision", to_string(precision)},
          {"seconds", measurement.seconds},
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
                 format_seconds(measurement.seconds),
                 format_number(100 * measurement.timing.relative_spread),
                 format_number(measurement.bytes_per_second() * 1e-9),
                 format_number(measurement.raw_flops() * 1e-9),
                 format_number(measurement.effective_flops() * 1e-9)});
}

template <class T>
using MeasureFunction = Measurement (*)(Backend&, const CsrMatrix<T>&, const Layout&);

/// Measures every layout on every matrix. Ctrl-C ends it early and keeps what was measured.
template <class T>
int bench_layouts(const char* title, MeasureFunction<T> measure_layout,
                  const BenchOptions& options) {
  const auto backend = open_backend("cpu", options.threads);
  std::vector<Measurement> measurements;
  {
    const InterruptGuard guard;
    Progress progress(title);
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
        measurements.push_back(measure_layout(*backend, matrix, layout));
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
    std::cout << title << ", " << to_string(options.precision) << ", " << backend->description()
              << '\n';
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
template <class T>
int bench_spmv(const BenchOptions& options) {
  return bench_layouts<T>("SpMV", measure_spmv<T>, options);
}
template <class T>
int bench_cg(const BenchOptions& options) {
  return bench_layouts<T>("CG iteration", measure_cg<T>, options);
}
constexpr std::array benchmarks{Benchmark{"spmv", bench_spmv<float>, bench_spmv<double>},
                                Benchmark{"cg", bench_cg<float>, bench_cg<double>}};

int run(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  CommandLine line(
      "bench", "spmv|cg [MATRIX...] [options]",
      "Measures the sparse matrix-vector product (spmv) or an iteration of Jacobi-\n"
      "preconditioned conjugate gradients (cg) on this machine in every layout, for\n"
      "Matrix Market files or, without any, a small generated set. GB/s counts what each\n"
      "step reads and writes; raw GFlop/s counts all block elements, effective nonzeros\n"
      "only.",
      "sparsecast bench spmv --precision f32");
  line.add()("what", po::value<std::string>(), "spmv or cg")(
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
    throw UsageError("nothing to measure called '" + what + "'; expected spmv or cg");
  return options.precision == Precision::f32 ? found->run_f32(options) : found->run_f64(options);
}

}  // namespace

extern const Command bench_command;
const Command bench_command{"bench", "measure kernels on this machine", run};

}  // namespace sparsecast::cli
