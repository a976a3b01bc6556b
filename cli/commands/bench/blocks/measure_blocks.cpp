#include "cli/commands/bench/blocks/measure_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/command.hpp"
#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/blocks/block_matrices.hpp"
#include "cli/commands/bench/blocks/cnc_schedule.hpp"
#include "cli/commands/bench/blocks/residual_history.hpp"
#include "cli/commands/bench/blocks/vector_timing.hpp"
#include "cli/commands/bench/paper/benched_device.hpp"
#include "cli/commands/bench/paper/measured_case.hpp"
#include "cli/commands/bench/solver_timing.hpp"
#include "cli/commands/bench/spmv_timing.hpp"
#include "core/base/error.hpp"
#include "core/cpu/machine.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast::cli {
namespace {

/// Of one measurement; there are hundreds.
constexpr double seconds_per_case = 0.05;

constexpr const char* solver_layout = "bcsr4";

using Report = std::function<bool(const std::string&)>;

/// A device, and on a GPU two more ways to launch on it.
struct BlockDevice {
  BenchedDevice benched;
  std::unique_ptr<Backend> by_host;
  std::unique_ptr<Backend> by_graph;

  bool is_gpu() const { return by_host != nullptr; }
  /// Which makes the calls of a library.
  Backend& calling() const { return is_gpu() ? *by_host : *benched.backend; }
};

BlockDevice open_block_device(const std::string& name, int threads) {
  BlockDevice device{open_benched(name, threads), nullptr, nullptr};
  if (is_gpu(name)) {
    CudaPolicy policy;
    policy.launch_mode = LaunchMode::host;
    device.by_host = open_device(name, 0, policy);
    policy.launch_mode = LaunchMode::graph;
    device.by_graph = open_device(name, 0, policy);
  }
  return device;
}

/// Fills in what is the same for all measurements on a device.
void describe(BlockMeasurement& m, const BlockDevice& device, Precision precision) {
  m.device = device.benched.name;
  m.description = device.benched.backend->description();
  if (!device.is_gpu()) m.description += ", " + describe_cpu().instruction_set;
  m.peak_bytes_per_second = device.benched.peak_bytes_per_second;
  m.peak_flops = device.benched.peak_flops(precision);
  m.cache_bytes = device.benched.cache_bytes;
  m.precision = precision;
}

std::string label(const BlockMeasurement& m) {
  std::string text = m.what;
  for (const std::string* word : {&m.mesh, &m.problem, &m.order, &m.solver, &m.layout, &m.device}) {
    if (!word->empty()) text += ", " + *word;
  }
  return text;
}

/// Measures and keeps what was measured.
class BlockRun {
 public:
  BlockRun(const BlocksRequest& request, Report goes_on)
      : request_(request), goes_on_(std::move(goes_on)) {}

  std::vector<BlockMeasurement> measurements;

  /// In one order; `common` says of what.
  template <class T>
  void measure_matrix(const BlockDevice& device, const CsrMatrix<T>& matrix,
                      BlockMeasurement common, bool with_solvers) {
    describe(common, device, precision_of<T>());
    common.what = "product";
    common.flops = 2 * static_cast<double>(matrix.nonzeros());
    const std::vector<Layout> layouts =
        request_.layouts.empty() ? block_layouts(device.benched.name) : request_.layouts;
    Layout best;
    double best_seconds = 0;
    for (const Layout& layout : layouts) {
      common.layout = to_string(layout);
      const double seconds = measure_case(common, [&](BlockMeasurement& m) {
        const SpmvTiming timing =
            time_spmv(*device.benched.backend, matrix, layout, seconds_per_case);
        m.stored_elements = timing.stored_elements;
        m.bytes = timing.bytes;
        return timing.timing;
      });
      if (seconds == 0 || !is_usual(layout)) continue;
      if (best_seconds > 0 && seconds >= best_seconds) continue;
      best = layout;
      best_seconds = seconds;
    }
    if (!with_solvers) return;
    const Layout blocks = parse_layout(solver_layout);
    measure_solver(device.calling(), "cnc", cnc_solver(), matrix, blocks, common);
    if (device.is_gpu()) {
      measure_solver(*device.by_graph, "cnc-graph", cnc_solver(), matrix, blocks, common);
    }
    measure_solver(*device.benched.backend, "fused", fused_cg(), matrix, best, common);
  }

  void measure_history(const BlockDevice& device, const CsrMatrix<float>& matrix,
                       BlockMeasurement common) {
    describe(common, device, Precision::f32);
    common.what = "history";
    common.solver = "cnc";
    common.layout = solver_layout;
    if (!goes_on_(label(common))) return;
    try {
      const std::vector<ResidualRecord> records =
          record_residuals(device.calling(), cnc_solver(), matrix, parse_layout(solver_layout),
                           history_iterations, history_step, [&] { return goes_on_(""); });
      for (const ResidualRecord& record : records) {
        BlockMeasurement m = common;
        m.number = static_cast<double>(record.iterations);
        m.recurrence = record.recurrence;
        m.residual = record.residual;
        measurements.push_back(std::move(m));
      }
    } catch (const Error& error) {
      common.reason = error.what();
      measurements.push_back(std::move(common));
    }
  }

  template <class T>
  void measure_vectors(const BlockDevice& device, double scale) {
    for (const std::int64_t size : measured_vector_sizes(scale)) {
      BlockMeasurement common;
      describe(common, device, precision_of<T>());
      common.scale = scale;
      common.rows = size;
      common.what = "saxpy";
      measure_case(common, [&](BlockMeasurement& m) {
        return time_saxpy<T>(*device.benched.backend, size, seconds_per_case, m);
      });
      if (!device.is_gpu()) continue;
      common.what = "dot";
      for (const int values : request_.dots) {
        common.number = values;
        measure_case(common, [&](BlockMeasurement& m) {
          return time_dot<T>(benched_gpu(device.benched.name), size, values, seconds_per_case, m);
        });
      }
    }
  }

 private:
  template <class T>
  void measure_solver(Backend& backend, const char* name, const Solver& solver,
                      const CsrMatrix<T>& matrix, const Layout& layout, BlockMeasurement common) {
    common.what = "iteration";
    common.solver = name;
    common.layout = to_string(layout);
    // As CNC counts: of the product, of two dot products, of four combinations of vectors and of
    // the preconditioner.
    constexpr double vector_flops = 13;
    common.flops += vector_flops * static_cast<double>(matrix.rows);
    measure_case(common, [&](BlockMeasurement& m) {
      const SolverTiming timing = time_solver(backend, solver, matrix, layout, seconds_per_case);
      m.number = std::round(timing.launches);
      m.stored_elements = timing.stored_elements;
      m.bytes = timing.bytes;
      return timing.timing;
    });
  }

  /// Seconds; 0 where it was not measured. `time` fills in what it learns besides.
  double measure_case(const BlockMeasurement& common,
                      const std::function<Timing(BlockMeasurement&)>& time) {
    if (!goes_on_(label(common))) return 0;
    measurements.push_back(measured_case(common, time));
    return measurements.back().seconds;
  }

  const BlocksRequest& request_;
  Report goes_on_;
};

/// Everything of one matrix.
void measure_stand_in(const BlocksRequest& request, const BlockMatrix& source,
                      const std::vector<BlockDevice>& devices, BlockRun& run) {
  BlockMeasurement common;
  common.mesh = source.mesh;
  common.problem = source.problem.name;
  common.scale = source.scale;
  const CsrMatrix<double> natural = source.make();
  common.rows = natural.rows;
  common.nonzeros = natural.nonzeros();
  const bool with_history =
      source.mesh == mesh_names().back() && common.problem == block_problems().front().name;
  for (const Renumbering order : request.orders) {
    const CsrMatrix<double> matrix =
        with_vertices_in_order(natural, source.problem.components, order, request.threads);
    common.order = to_string(order);
    const bool is_first = order == request.orders.front();
    for (const Precision precision : request.precisions) {
      if (precision == Precision::f64) {
        for (const BlockDevice& device : devices) {
          run.measure_matrix(device, matrix, common, is_first);
        }
        continue;
      }
      const CsrMatrix<float> narrow = convert_values<float>(matrix.view());
      for (const BlockDevice& device : devices) {
        run.measure_matrix(device, narrow, common, is_first);
        if (is_first && with_history) run.measure_history(device, narrow, common);
      }
    }
  }
}

/// Measurements of all, nearly: for a bar of progress.
double expected_cases(const BlocksRequest& request, std::size_t matrices) {
  double cases = 0;
  for (const std::string& device : request.devices) {
    const std::size_t layouts =
        request.layouts.empty() ? block_layouts(device).size() : request.layouts.size();
    cases += static_cast<double>(layouts * request.orders.size() + 3);
  }
  return cases * static_cast<double>(request.precisions.size() * matrices);
}

}  // namespace

std::vector<Layout> block_layouts(const std::string& device) {
  std::vector<Layout> layouts;
  for (const char* name : {"csr", "bcsr2", "bcsr4", "bcsr4-quads", "bcsr4-strips", "cusparse",
                           "cusparse2", "cusparse4", "bcsr3", "sell32"}) {
    const Layout layout = parse_layout(name);
    if (is_gpu(device) || has_cpu_products(layout)) layouts.push_back(layout);
  }
  return layouts;
}

bool is_usual(const Layout& layout) {
  const std::vector<Layout> usual = usual_layouts();
  return std::ranges::find(usual, layout) != usual.end();
}

std::vector<std::int64_t> measured_vector_sizes(double scale) {
  constexpr double paper = 1024.0 * 1024;
  constexpr double beyond_caches = 64 * paper;
  return {std::max(1LL, std::llround(scale * paper)),
          std::max(1LL, std::llround(scale * beyond_caches))};
}

std::vector<BlockMeasurement> measure_blocks(
    const BlocksRequest& request, const std::function<bool(double, const std::string&)>& progress) {
  std::vector<BlockDevice> devices;
  for (const std::string& name : request.devices) {
    devices.push_back(open_block_device(name, request.threads));
  }
  std::vector<BlockMatrix> matrices;
  for (const double scale : request.scales) {
    std::ranges::move(block_matrices(scale, request.threads), std::back_inserter(matrices));
  }
  const double total = expected_cases(request, matrices.size());
  double done = 0;
  bool stopped = false;
  std::string last;
  BlockRun run(request, [&](const std::string& what) {
    if (!what.empty()) {
      last = what;
      ++done;
    }
    stopped = stopped || !progress(std::min(1.0, done / total), last);
    return !stopped;
  });
  for (const BlockDevice& device : devices) {
    for (const double scale : request.scales) {
      for (const Precision precision : request.precisions) {
        precision == Precision::f32 ? run.measure_vectors<float>(device, scale)
                                    : run.measure_vectors<double>(device, scale);
      }
    }
  }
  for (const BlockMatrix& source : matrices) {
    if (stopped) break;
    measure_stand_in(request, source, devices, run);
  }
  return std::move(run.measurements);
}

}  // namespace sparsecast::cli
