#include "cli/commands/bench/bench_layouts.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/bench/spmv_timing.hpp"
#include "cli/interrupt.hpp"
#include "cli/matrix_source.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/backend.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast::cli {

namespace {

using nlohmann::ordered_json;

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

/// Those that were asked for, or the usual ones in natural order; the vendor's solver has CSR only.
std::vector<Layout> measured_layouts(const BenchOptions& options) {
  if (!options.layouts.empty()) return options.layouts;
  if (options.schedule == "vendor") return {Layout{}};
  std::vector<Layout> layouts = usual_layouts();
  std::erase_if(layouts,
                [](const Layout& layout) { return layout.row_order != RowOrder::natural; });
  return layouts;
}

/// Whether a format refused the matrix.
bool is_refusal(const Error& error, const Layout& layout) {
  return std::string_view(error.what()).starts_with("layout " + std::string(layout.format) + ": ");
}

template <class T>
using MeasureFunction = Measurement (*)(Backend&, const CsrMatrix<T>&, const Layout&,
                                        const BenchOptions&);

/// Measures all layouts on every matrix; of those that nobody asked for by name one that refuses
/// the matrix is skipped. Ctrl-C ends it early and keeps what was measured.
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
    const std::vector<Layout> layouts = measured_layouts(options);
    // Reading a matrix is a part of the work too, the whole of it until then for a single one.
    const double total = static_cast<double>(sources.size() * (layouts.size() + 1));
    double done = 0;
    for (const MatrixSource& source : sources) {
      if (InterruptGuard::interrupted()) break;
      progress.update(done++ / total, source.name);
      const CsrMatrix<T> matrix = convert_values<T>(source.make().view());
      if (matrix.rows != matrix.columns) {
        throw Error(source.name + ": " + std::to_string(matrix.rows) + " rows and " +
                    std::to_string(matrix.columns) + " columns; expected a square matrix");
      }
      for (const Layout& layout : layouts) {
        if (InterruptGuard::interrupted()) break;
        progress.update(done++ / total, source.name + ", " + to_string(layout));
        try {
          measurements.push_back(measure_layout(*backend, matrix, layout, options));
        } catch (const Error& error) {
          if (!options.layouts.empty() || !is_refusal(error, layout)) throw;
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
}  // namespace

std::span<const Benchmark> benchmarks() {
  static constexpr std::array all{Benchmark{"spmv", bench_spmv<float>, bench_spmv<double>},
                                  Benchmark{"cg", bench_cg<float>, bench_cg<double>}};
  return all;
}

}  // namespace sparsecast::cli
