#include "cli/commands/bench/bench_layouts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/bench/benched_systems.hpp"
#include "cli/commands/bench/solver_timing.hpp"
#include "cli/commands/bench/spmv_timing.hpp"
#include "cli/exports/export_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/matrix_source.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/table_options.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cpu/machine.hpp"
#include "core/engine/backend.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast::cli {

namespace {

/// What a benchmark says of one matrix in one layout.
struct Measurement {
  std::string matrix;
  Layout layout;
  std::string solver;  ///< empty: the product alone
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;
  double products = 1;         ///< with the matrix, of one run
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
    return (2 * products * static_cast<double>(nonzeros) + vector_flops) / seconds;
  }
};

/// The files, or a small generated set: a grid in the plane, one in space, and finite elements.
std::vector<MatrixSource> matrices(const BenchOptions& options) {
  if (!options.files.empty()) return file_sources(options.files, options.threads);
  return {{"5-point 1000^2", [] { return laplacian(5, 1000, 1000); }},
          {"27-point 60^3", [] { return laplacian(27, 60, 60, 60); }},
          {"FEM P1 30^3", [] { return fem_elasticity(1, 30, 1); }}};
}

constexpr double seconds_per_case = 0.3;

template <class T>
Measurement measure_spmv(Backend& backend, const BenchedSystem<T>& system, const Layout& layout,
                         const BenchOptions&) {
  const SpmvTiming measured = time_spmv(backend, system.matrix, layout, seconds_per_case);
  Measurement result;
  result.layout = layout;
  result.rows = system.rows;
  result.nonzeros = system.nonzeros;
  result.stored_elements = measured.stored_elements;
  result.bytes = result.working_set = measured.bytes;
  result.timing = measured.timing;
  result.seconds = result.timing.median_seconds;
  return result;
}

template <class T>
Measurement measure_solver(Backend& backend, const BenchedSystem<T>& system, const Layout& layout,
                           const BenchOptions& options) {
  const CsrView<T> matrix = system.matrix.view();
  const Solver solver =
      options.own ? options.own->for_matrix(matrix, system.part.get()) : built_in(options.schedule);
  Measurement result;
  result.layout = layout;
  result.solver = solver.name();
  double products = 0;
  for (const Step& step : solver.schedule.iteration) {
    const double times = step.charged_per_iteration;
    result.vector_flops += times * step.flops.per_unknown * static_cast<double>(system.rows);
    products += times * step.flops.per_element / 2;
  }
  result.rows = system.rows;
  result.nonzeros = system.nonzeros;
  result.products = products;
  const SolverTiming measured =
      time_solver(backend, solver, system.matrix, layout, seconds_per_case, system.part.get());
  result.working_set = measured.working_set;
  result.timing = measured.timing;
  result.seconds = result.timing.median_seconds;
  result.bytes = measured.bytes;
  result.stored_elements = measured.stored_elements;
  return result;
}

JsonObject to_json(const Measurement& measurement, Precision precision) {
  return {{"matrix", measurement.matrix},
          {"layout", to_string(measurement.layout)},
          {"precision", to_string(precision)},
          {"seconds", measurement.seconds},
          {"relative_spread", measurement.timing.relative_spread},
          {"rounds", measurement.timing.round_seconds.size()},
          {"bytes", measurement.bytes},
          {"bytes_per_second", measurement.bytes_per_second()},
          {"cache", measurement.cache.empty() ? JsonValue() : JsonValue(measurement.cache)},
          {"raw_gflops", measurement.raw_flops() * 1e-9},
          {"effective_gflops", measurement.effective_flops() * 1e-9},
          {"nonzeros", measurement.nonzeros},
          {"stored_elements", measurement.stored_elements}};
}

void add_to_table(Table& table, const Measurement& measurement) {
  table.add_row({measurement.matrix, to_string(measurement.layout),
                 format_seconds(measurement.seconds),
                 format_number(100 * measurement.timing.relative_spread),
                 measurement.cache.empty() ? "-" : measurement.cache,
                 format_number(measurement.bytes_per_second() * 1e-9),
                 format_number(measurement.raw_flops() * 1e-9),
                 format_number(measurement.effective_flops() * 1e-9)});
}

/// For other programs.
TimedCase timed_case(const Measurement& measurement, const BenchOptions& options,
                     const std::string& device, int devices) {
  TimedCase timed;
  timed.matrix = measurement.matrix;
  timed.system = device;
  timed.on_gpu = is_gpu(options.device);
  timed.rows = static_cast<double>(measurement.rows);
  timed.nonzeros = static_cast<double>(measurement.nonzeros);
  timed.solver = measurement.solver;
  timed.layout = measurement.layout;
  if (!timed.solver.empty() && timed.on_gpu) timed.launch = to_string(options.launch_mode);
  timed.devices = devices;
  timed.precision = options.precision;
  timed.seconds = measurement.seconds;
  timed.bytes = measurement.working_set / devices;
  timed.repetitions = static_cast<std::int64_t>(measurement.timing.round_seconds.size());
  return timed;
}

/// Those that were asked for, or the usual ones; the vendor's solver has CSR only.
std::vector<Layout> measured_layouts(const BenchOptions& options) {
  if (!options.layouts.empty()) return options.layouts;
  if (is_vendor(options.schedule)) return {Layout{}};
  return usual_layouts();
}

/// Whether a format refused the matrix, or a rank's part of it.
bool is_refusal(const Error& error) {
  std::string_view what = error.what();
  if (ranks() != nullptr && what.starts_with("rank ")) what.remove_prefix(what.find(": ") + 2);
  return what.starts_with("layout ");
}

template <class T>
using MeasureFunction = Measurement (*)(Backend&, const BenchedSystem<T>&, const Layout&,
                                        const BenchOptions&);

/// Measures all layouts on every matrix; of those that nobody asked for by name one that refuses
/// the matrix is skipped. Ctrl-C ends it early and keeps what was measured; of ranks it ends all.
template <class T>
int bench_layouts(const char* title, MeasureFunction<T> measure_layout, const CommandLine& line,
                  const BenchOptions& options) {
  BenchedSystems<T> systems(options);
  const double cache_bytes = systems.last_level_cache();
  std::vector<Measurement> measurements;
  {
    std::optional<InterruptGuard> guard;
    if (ranks() == nullptr) guard.emplace();
    Progress progress(title);
    const std::vector<MatrixSource> sources = matrices(options);
    const std::vector<Layout> layouts = measured_layouts(options);
    // Reading a matrix is a part of the work too, the whole of it until then for a single one.
    const double total = static_cast<double>(sources.size() * (layouts.size() + 1));
    double done = 0;
    for (const MatrixSource& source : sources) {
      if (InterruptGuard::interrupted()) break;
      progress.update(done++ / total, source.name);
      systems.take(source);
      for (const Layout& layout : layouts) {
        if (InterruptGuard::interrupted()) break;
        progress.update(done++ / total, source.name + ", " + to_string(layout));
        const BenchedSystem<T>& system = systems.in(layout);
        try {
          measurements.push_back(measure_layout(systems.backend(), system, layout, options));
        } catch (const Error& error) {
          if (!options.layouts.empty() || !is_refusal(error)) {
            throw Error(source.name + ": " + error.what());
          }
          warn("skipped " + source.name + ": " + error.what());
          continue;
        }
        measurements.back().matrix = source.name;
        if (cache_bytes > 0) {
          measurements.back().cache = cache_state(measurements.back().working_set, cache_bytes);
        }
      }
    }
  }
  if (ranks() != nullptr && ranks()->rank() != 0) return 0;
  const std::string device = systems.backend().description();
  std::vector<JsonObject> objects;
  for (const Measurement& measurement : measurements) {
    objects.push_back(to_json(measurement, options.precision));
  }
  if (!options.csv.empty()) write_rows(options.csv, objects);
  if (exports(line)) {
    std::vector<TimedCase> cases;
    for (const Measurement& measurement : measurements) {
      cases.push_back(timed_case(measurement, options, device, systems.devices()));
    }
    write_exports(line, cases);
  }
  if (options.json) {
    std::cout << json_head("bench")
                     .add("device", device)
                     .add("devices", systems.devices())
                     .add("benchmark", title)
                     .add("measurements", objects)
                     .lines();
  } else {
    const bool prints_file = prints_export(line) || is_standard_output(options.csv);
    std::ostream& out = prints_file ? std::cerr : std::cout;
    std::string caption =
        std::string(title) + ", " + std::string(to_string(options.precision)) + ", " + device;
    if (!is_gpu(options.device)) caption += ", " + std::string(describe_cpu().instruction_set);
    print_paragraph(out, caption, options.style);
    const std::vector<TableColumn> columns{TableColumn("matrix"),         TableColumn("layout"),
                                           TableColumn("time"),           TableColumn("+-%", 2),
                                           TableColumn("cache", 3),       TableColumn("GB/s"),
                                           TableColumn("GFlop/s raw", 1), TableColumn("effective")};
    Table table(columns);
    for (const Measurement& measurement : measurements) add_to_table(table, measurement);
    table.print(out, options.style);
  }
  require_complete(measurements.size());
  return 0;
}

template <class T>
int bench_spmv(const CommandLine& line, const BenchOptions& options) {
  return bench_layouts<T>("SpMV", measure_spmv<T>, line, options);
}

template <class T>
int bench_solver(const CommandLine& line, const BenchOptions& options) {
  const std::string launch = is_gpu(options.device)
                                 ? ", " + std::string(to_string(options.launch_mode)) + " launches"
                                 : "";
  const std::string title = (options.own ? "Iteration of " + options.own->name()
                                         : "CG iteration, schedule " + options.schedule) +
                            launch;
  return bench_layouts<T>(title.c_str(), measure_solver<T>, line, options);
}
}  // namespace

std::span<const Benchmark> benchmarks() {
  static constexpr std::array all{Benchmark{"spmv", bench_spmv<float>, bench_spmv<double>},
                                  Benchmark{"cg", bench_solver<float>, bench_solver<double>}};
  return all;
}

}  // namespace sparsecast::cli
