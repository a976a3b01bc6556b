#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/mapping_benchmark.hpp"
#include "cli/commands/spmv_timing.hpp"
#include "cli/interrupt.hpp"
#include "cli/matrix_source.hpp"
#include "cli/plots/mapping_plot.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast::cli {
namespace {

using nlohmann::ordered_json;

struct BenchOptions {
  std::vector<std::string> files;
  std::string device;
  std::string schedule;  ///< of conjugate gradients
  LaunchMode launch_mode = LaunchMode::automatic;
  Precision precision = Precision::f64;
  int threads = 0;
  bool json = false;
  std::vector<std::string> from;  ///< samples of mappings that were measured before
  std::string csv;                ///< files to write, empty: none
  std::string figure2;
  std::string figure9;
};

/// What a benchmark says of one matrix in one layout.
struct Measurement {
  std::string matrix;
  Layout layout;
  std::int64_t nonzeros = 0;
  double stored_elements = 0;  ///< matrix values that one run multiplies
  double vector_flops = 0;     ///< of one run, beside the multiplication
  double bytes = 0;            ///< that one run reads and writes
  double working_set = 0;      ///< bytes of matrix and vectors
  std::string cache;           ///< `cache_state`; empty where the cache's size is not known
  double seconds = 0;          ///< of one run
  Timing timing;

  double bytes_per_second() const { return bytes / seconds; }
  /// Counts all stored elements.
  double raw_flops() const { return (2 * stored_elements + vector_flops) / seconds; }
  /// Counts nonzeros only.
  double effective_flops() const {
    return (2 * static_cast<double>(nonzeros) + vector_flops) / seconds;
  }
};

bool is_gpu(const std::string& device) {
  return device.starts_with(gpu_kind);
}

/// The number in "cuda:0".
int gpu_index(const std::string& device) {
  const std::optional<int> index = device_index(device, gpu_kind);
  if (!index) throw UsageError("--device " + device + ": expected a GPU, as in cuda:0");
  return *index;
}

std::unique_ptr<Backend> open_benched_device(const BenchOptions& options) {
  CudaPolicy policy;
  policy.launch_mode = options.launch_mode;
  return open_device(options.device, options.threads, policy);
}

/// Bytes; 0 if unknown.
double last_level_cache(const std::string& device) {
  if (!is_gpu(device)) return static_cast<double>(describe_cpu().l3_bytes);
  const GpuList gpus = list_gpus();
  return static_cast<double>(gpus.devices.at(static_cast<std::size_t>(gpu_index(device))).l2_bytes);
}

/// The files, or a small generated set: a grid in the plane, one in space, and finite elements.
std::vector<MatrixSource> matrices(const BenchOptions& options) {
  if (!options.files.empty()) return file_sources(options.files, options.threads);
  return {{"5-point 1000^2", [] { return laplacian(5, 1000, 1000); }},
          {"27-point 60^3", [] { return laplacian(27, 60, 60, 60); }},
          {"FEM P1 30^3", [] { return fem_elasticity(1, 30, 1); }}};
}

constexpr double seconds_per_case = 0.3;

template <class T>
Measurement measure_spmv(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout,
                         const BenchOptions&) {
  const SpmvTiming measured = time_spmv(backend, matrix, layout, seconds_per_case);
  Measurement result;
  result.layout = layout;
  result.nonzeros = matrix.nonzeros();
  result.stored_elements = measured.stored_elements;
  result.bytes = result.working_set = measured.bytes;
  result.timing = measured.timing;
  result.seconds = result.timing.median_seconds;
  return result;
}

/// Iterations that are timed together: few enough that a residual stays a number in f32, many
/// enough that the start of the threads, or of a GPU's first kernel, does not count.
std::int64_t cg_iterations(const BenchOptions& options) {
  return is_gpu(options.device) ? 48 : 20;
}

template <class T>
Measurement measure_cg(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout,
                       const BenchOptions& options) {
  const Schedule schedule = cg_schedule(options.schedule);
  const std::int64_t iterations = cg_iterations(options);
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
  const auto begin = [&] {
    prepared->set_vector("x", zeros);
    prepared->run_setup();
  };
  Measurement result;
  result.layout = layout;
  result.nonzeros = matrix.nonzeros();
  for (const Step& step : schedule.iteration) {
    result.vector_flops +=
        step.charged_per_iteration * step.flops.per_unknown * static_cast<double>(matrix.rows);
  }
  for (const std::int64_t bytes : prepared->bytes_per_device()) {
    result.working_set += static_cast<double>(bytes);
  }
  begin();
  const RunCounters before = prepared->counters();
  const RunReport report = prepared->run(iterations);
  const RunCounters after = prepared->counters();
  if (report.iterations != iterations) {
    throw Error("conjugate gradients ended after " + std::to_string(report.iterations) +
                " iterations (" + std::string(to_string(report.outcome)) +
                "); expected a symmetric positive definite matrix");
  }
  // What ran, not what the schedule says of the layout: one device exchanges nothing, and a kernel
  // may have stored the matrix in its own way.
  const auto per_iteration = [&](double count) { return count / static_cast<double>(iterations); };
  result.bytes = per_iteration(after.bytes.total() - before.bytes.total());
  result.stored_elements =
      per_iteration(after.bytes.values - before.bytes.values) / static_cast<double>(sizeof(T));
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = seconds_per_case;
  double iterating_seconds = 0;  // a clock that stands still while a run is set up
  result.timing = measure(
      [&](std::int64_t repeats) {
        for (std::int64_t i = 0; i < repeats; ++i) {
          begin();
          const auto start = std::chrono::steady_clock::now();
          prepared->run(iterations);
          iterating_seconds +=
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
      },
      stopwatch, [&] { return iterating_seconds; });
  result.seconds = result.timing.median_seconds / static_cast<double>(iterations);
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
          {"cache", measurement.cache},
          {"raw_gflops", measurement.raw_flops() * 1e-9},
          {"effective_gflops", measurement.effective_flops() * 1e-9},
          {"nonzeros", measurement.nonzeros},
          {"stored_elements", measurement.stored_elements}};
}

void add_to_table(Table& table, const Measurement& measurement) {
  table.add_row({measurement.matrix, to_string(measurement.layout),
                 format_seconds(measurement.seconds),
                 format_number(100 * measurement.timing.relative_spread), measurement.cache,
                 format_number(measurement.bytes_per_second() * 1e-9),
                 format_number(measurement.raw_flops() * 1e-9),
                 format_number(measurement.effective_flops() * 1e-9)});
}

/// N of the layouts to measure: the vendor's solver has CSR only.
std::vector<int> measured_blocks(const BenchOptions& options) {
  if (options.schedule == "vendor") return {1};
  return {block_sizes.begin(), block_sizes.end()};
}

template <class T>
using MeasureFunction = Measurement (*)(Backend&, const CsrMatrix<T>&, const Layout&,
                                        const BenchOptions&);

/// Throws `Interrupted` where measuring was interrupted; what is kept has been printed.
void require_complete(std::size_t measured) {
  if (!InterruptGuard::interrupted()) return;
  throw Interrupted("interrupted; what was measured before is kept: " + std::to_string(measured) +
                    (measured == 1 ? " case" : " cases"));
}

/// Measures every layout on every matrix. Ctrl-C ends it early and keeps what was measured.
template <class T>
int bench_layouts(const char* title, MeasureFunction<T> measure_layout,
                  const BenchOptions& options) {
  const auto backend = open_benched_device(options);
  const double cache_bytes = last_level_cache(options.device);
  std::vector<Measurement> measurements;
  {
    const InterruptGuard guard;
    Progress progress(title);
    const std::vector<MatrixSource> sources = matrices(options);
    const std::vector<int> blocks = measured_blocks(options);
    // Reading a matrix is a part of the work too, the whole of it until then for a single one.
    const double total = static_cast<double>(sources.size() * (blocks.size() + 1));
    double done = 0;
    for (const MatrixSource& source : sources) {
      if (InterruptGuard::interrupted()) break;
      progress.update(done++ / total, source.name);
      const CsrMatrix<T> matrix = convert_values<T>(source.make().view());
      if (matrix.rows != matrix.columns) {
        throw Error(source.name + ": " + std::to_string(matrix.rows) + " rows and " +
                    std::to_string(matrix.columns) + " columns; expected a square matrix");
      }
      for (const int block_size : blocks) {
        if (InterruptGuard::interrupted()) break;
        const Layout layout = block_layout(block_size);
        progress.update(done++ / total, source.name + ", " + to_string(layout));
        measurements.push_back(measure_layout(*backend, matrix, layout, options));
        measurements.back().matrix = source.name;
        if (cache_bytes > 0) {
          measurements.back().cache = cache_state(measurements.back().working_set, cache_bytes);
        }
      }
    }
  }
  if (options.json) {
    ordered_json array = ordered_json::array();
    for (const Measurement& measurement : measurements) {
      array.push_back(to_json(measurement, options.precision));
    }
    std::cout << json_text(array);
  } else {
    std::cout << title << ", " << to_string(options.precision) << ", " << backend->description()
              << '\n';
    Table table({"matrix", "layout", "time", "+-%", "cache", "GB/s", "GFlop/s raw", "effective"});
    for (const Measurement& measurement : measurements) add_to_table(table, measurement);
    table.print(std::cout);
  }
  require_complete(measurements.size());
  return 0;
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
  const std::string launch = is_gpu(options.device)
                                 ? ", " + std::string(to_string(options.launch_mode)) + " launches"
                                 : "";
  const std::string title = "CG iteration, schedule " + options.schedule + launch;
  return bench_layouts<T>(title.c_str(), measure_cg<T>, options);
}
constexpr std::array benchmarks{Benchmark{"spmv", bench_spmv<float>, bench_spmv<double>},
                                Benchmark{"cg", bench_cg<float>, bench_cg<double>}};

// --- the paper's mappings ---

std::vector<MappingSample> samples_from_files(const BenchOptions& options) {
  std::vector<MappingSample> samples;
  for (const std::string& file : options.from) {
    const std::vector<MappingSample> more = parse_mapping_csv(read_file(file), file);
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
      gpu_index(options.device), options.precision, sources,
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
          {"cache", sample.cache},
          {"raw_gflops", sample.raw_flops() * 1e-9},
          {"effective_gflops", sample.effective_flops() * 1e-9},
          {"unknowns", sample.unknowns},
          {"nonzeros", sample.nonzeros},
          {"block_elements", sample.block_elements},
          {"stored_elements", sample.stored_elements}};
}

void print_mappings(const std::vector<MappingSample>& samples, std::ostream& out) {
  Table table({"matrix", "", "N", "kernel", "storage", "rows", "T", "Bx", "time", "+-%", "cache",
               "GB/s", "GFlop/s raw", "effective"});
  for (const MappingSample& s : samples) {
    const bool paper = s.threads_per_block > 0;
    table.add_row({s.matrix, std::string(to_string(s.precision)), std::to_string(s.block_size),
                   paper ? s.mapping : s.kernel, s.storage, s.row_order,
                   paper ? std::to_string(s.threads_per_block) : "",
                   paper ? std::to_string(s.blocks_at_once) : "", format_seconds(s.seconds),
                   format_number(100 * s.relative_spread), s.cache,
                   format_number(s.bytes / s.seconds * 1e-9), format_number(s.raw_flops() * 1e-9),
                   format_number(s.effective_flops() * 1e-9)});
  }
  out << "SpMV by the paper's mappings, " << samples.front().device << '\n';
  table.print(out);
}

int bench_mappings(const BenchOptions& options) {
  const std::vector<MappingSample> samples =
      options.from.empty() ? measure_mappings(options) : samples_from_files(options);
  if (samples.empty()) {
    require_complete(0);
    throw Error("no mapping was measured");
  }
  if (!options.csv.empty()) write_file(options.csv, mappings_to_csv(samples));
  if (!options.figure2.empty()) draw_mappings(options.figure2, samples);
  if (!options.figure9.empty()) draw_block_sizes(options.figure9, samples);
  if (options.json) {
    ordered_json array = ordered_json::array();
    for (const MappingSample& sample : samples) array.push_back(to_json(sample));
    std::cout << json_text(array);
  } else {
    print_mappings(samples, is_standard_output(options.csv) ? std::cerr : std::cout);
  }
  require_complete(samples.size());
  return 0;
}

// --- the command line ---

/// Throws `UsageError` for the first of these options that is given: with `with` it does nothing.
void refuse(const CommandLine& line, std::initializer_list<const char*> options,
            const std::string& with) {
  for (const char* option : options) {
    if (!line.has(option)) continue;
    const bool positional = std::string_view(option) == "matrix";
    throw UsageError((positional ? "MATRIX" : "--" + std::string(option)) + ": does nothing " +
                     with + "; leave it out");
  }
}

/// An option that does nothing is an error.
void require_options_that_apply(const CommandLine& line, const std::string& what,
                                const std::string& device, bool mappings) {
  if (what == "spmv") refuse(line, {"schedule", "launch"}, "with spmv");
  if (what == "cg") {
    refuse(line, {"mappings", "csv", "figure2", "figure9", "from"},
           "with cg: the paper's mappings are of spmv");
  }
  if (line.has("from")) {
    refuse(line, {"matrix", "mappings", "device", "precision", "threads"},
           "with --from, whose file says what was measured");
    return;
  }
  if (is_gpu(device)) {
    refuse(line, {"threads"}, "on a GPU");
    gpu_index(device);
    return;
  }
  refuse(line, {"launch"}, "on the CPU");
  if (mappings) {
    throw UsageError("--device " + device +
                     ": the paper's mappings are kernels of a GPU; expected one, as in cuda:0");
  }
}

/// Of conjugate gradients: what cannot run anywhere, or not on this device.
void require_schedule_that_runs(const BenchOptions& options) {
  if (options.schedule == "vendor" && !is_gpu(options.device)) {
    throw UsageError("--schedule vendor: NVIDIA's libraries need a GPU; add --device cuda:0");
  }
  if (options.launch_mode == LaunchMode::persistent && options.schedule != "fused") {
    throw UsageError("--launch persistent: only --schedule fused has a persistent kernel; got " +
                     options.schedule);
  }
}

int run(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  CommandLine line(
      "bench", "spmv|cg [MATRIX...] [options]",
      "Measures the sparse matrix-vector product (spmv) or an iteration of Jacobi-\n"
      "preconditioned conjugate gradients (cg) on this machine in every layout, for\n"
      "Matrix Market files or, without any, a small generated set. GB/s counts what each\n"
      "step reads and writes, the matrix as the kernel stores it; raw GFlop/s counts all\n"
      "stored elements, effective nonzeros only; runs follow each other over the same\n"
      "memory, of which the last-level cache holds all (hot), part (mixed) or little (cold).\n"
      "A persistent kernel stores no blocks but those of 3 x 3, whatever the layout, and\n"
      "reads what it can from shared memory.\n"
      "On a GPU, spmv --mappings measures the paper's own mappings and optimisations\n"
      "beside the default kernels (under two minutes), and draws its Figures 2 and 9.",
      "sparsecast bench spmv --device cuda:0 --precision f32 --figure2 mappings.svg");
  line.add()("what", po::value<std::string>(), "spmv or cg")(
      "matrix", po::value<std::vector<std::string>>(), "Matrix Market files")(
      "precision", po::value<std::string>(), "f32 or f64 (default)")(
      "device", po::value<std::string>(), "cpu (default), or a GPU: cuda:0")(
      "schedule", po::value<std::string>(),
      "cg: fused (default), algorithm1 as printed, or vendor (cuSPARSE and cuBLAS on a GPU)")(
      "launch", po::value<std::string>(),
      "cg on a GPU: auto (default), host, plain, graph or persistent")(
      "threads", po::value<int>(), "of the CPU; 0: all (default)")(
      "json", "print an array of objects")("mappings",
                                           "spmv on a GPU: the paper's mappings, storages and Bx")(
      "csv", po::value<std::string>(), "write what --mappings measured; -: standard output")(
      "figure2", po::value<std::string>(), "draw --mappings: raw performance (.svg, .png, .pdf)")(
      "figure9", po::value<std::string>(), "draw --mappings: block sizes, best Bx, defaults")(
      "from", po::value<std::vector<std::string>>(), "instead of measuring: a file of --csv");
  line.positional("what", 1);
  line.positional("matrix", -1);
  if (!line.parse(arguments)) return 0;

  const std::string& what = line.get<std::string>("what");
  const auto found = std::ranges::find_if(
      benchmarks, [&](const Benchmark& benchmark) { return what == benchmark.name; });
  if (found == benchmarks.end())
    throw UsageError("nothing to measure called '" + what + "'; expected spmv or cg");

  BenchOptions options;
  if (line.has("matrix")) options.files = line.get<std::vector<std::string>>("matrix");
  if (line.has("from")) options.from = line.get<std::vector<std::string>>("from");
  options.device = line.get_or("device", "cpu");
  options.schedule = line.get_or("schedule", "fused");
  options.csv = line.get_or("csv", "");
  options.figure2 = line.get_or("figure2", "");
  options.figure9 = line.get_or("figure9", "");
  options.json = line.has("json");
  const bool mappings = line.has("mappings") || line.has("csv") || line.has("figure2") ||
                        line.has("figure9") || line.has("from");
  require_options_that_apply(line, what, options.device, mappings);
  options.precision = parse_precision("--precision", line.get_or("precision", "f64"));
  options.threads = parse_threads(line);
  try {
    cg_schedule(options.schedule);
    options.launch_mode = parse_launch_mode(line.get_or("launch", "auto"));
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  require_schedule_that_runs(options);
  refuse_repeated_files("--from", options.from);

  CommandFiles files;
  for (const char* input : {"matrix", "from"}) files.reads(line, input);
  files.writes(line, "csv");
  for (const char* drawing : {"figure2", "figure9"}) files.draws(line, drawing);
  files.check(options.json);

  if (mappings) return bench_mappings(options);
  return options.precision == Precision::f32 ? found->run_f32(options) : found->run_f64(options);
}

}  // namespace

extern const Command bench_command;
const Command bench_command{"bench", "measure kernels on this machine", run};

}  // namespace sparsecast::cli
