#include "cli/commands/bench/fusion/measure_fusion.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "cli/command.hpp"
#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/fusion/fusion_solvers.hpp"
#include "cli/commands/bench/fusion/gram_schmidt.hpp"
#include "cli/commands/bench/fusion/timed_solve.hpp"
#include "cli/commands/bench/paper/measured_case.hpp"
#include "cli/commands/bench/solver_timing.hpp"

namespace sparsecast::cli {
namespace {

/// Of one measurement; there are hundreds.
constexpr double seconds_per_case = 0.05;

using Report = std::function<bool(const std::string&)>;

/// A way to launch on a device.
struct Launch {
  std::string name;  ///< empty on a CPU
  std::unique_ptr<Backend> backend;
};

struct FusionDevice {
  std::string name;
  std::vector<Launch> launches;
};

FusionDevice open_fusion_device(const std::string& name, int threads) {
  FusionDevice device{name, {}};
  if (!is_gpu(name)) {
    device.launches.push_back({"", open_device(name, threads, CudaPolicy{})});
    return device;
  }
  for (const LaunchMode mode : {LaunchMode::host, LaunchMode::graph, LaunchMode::persistent}) {
    CudaPolicy policy;
    policy.launch_mode = mode;
    device.launches.push_back({std::string(to_string(mode)), open_device(name, 0, policy)});
  }
  return device;
}

std::string label(const FusionMeasurement& m) {
  std::string text = m.what;
  for (const std::string* word : {&m.matrix, &m.solver, &m.launch, &m.device}) {
    if (!word->empty()) text += ", " + *word;
  }
  return text + ", " + std::to_string(m.rows);
}

/// Measures and keeps what was measured.
class FusionRun {
 public:
  FusionRun(const FusionRequest& request, Report goes_on)
      : request_(request), goes_on_(std::move(goes_on)) {}

  std::vector<FusionMeasurement> measurements;

  template <class T>
  void measure_iterations(const FusionDevice& device, const CsrMatrix<T>& matrix,
                          std::int64_t size) {
    for (const Launch& launch : device.launches) {
      for (const FusionSolver& solver : fusion_solvers()) {
        FusionMeasurement m = described<T>(device, launch);
        m.what = "iteration";
        m.matrix = "grid";
        m.size = size;
        m.rows = matrix.rows;
        m.nonzeros = matrix.nonzeros();
        m.solver = solver.name;
        m.counted = iteration_counts(solver.solver.schedule);
        measure(std::move(m), [&](FusionMeasurement& measured) {
          const SolverTiming timing =
              time_solver(*launch.backend, solver.solver, matrix, Layout{}, seconds_per_case);
          measured.launches = std::round(timing.launches);
          measured.host_waits = std::round(timing.host_waits);
          measured.bytes = timing.bytes;
          return timing.timing;
        });
      }
    }
  }

  /// By bases at one size, and by sizes with one basis; dot products with that basis at that size.
  template <class T>
  void measure_vectors(const FusionDevice& device) {
    const int large = request_.bases.back();
    const std::int64_t middle = basis_size(request_.sizes);
    for (const Launch& launch : device.launches) {
      // A schedule without checks is no solver, of which persistent kernels are.
      if (launch.name == to_string(LaunchMode::persistent)) continue;
      for (const int basis : request_.bases) measure_steps<T>(device, launch, middle, basis);
      for (const std::int64_t size : request_.sizes) {
        if (size != middle) measure_steps<T>(device, launch, size, large);
      }
      for (const int dots : measured_dots()) {
        if (dots < large) measure_dots<T>(device, launch, middle, large, dots);
      }
      measure_dots<T>(device, launch, middle, large, large);
    }
  }

  void solve(const FusionDevice& device, const CsrMatrix<double>& matrix,
             const FusionSystem& system, const std::string& fault) {
    // By graph on a GPU, as on a CPU, time to solution is the engine's own.
    const auto launch = std::ranges::find_if(device.launches, [](const Launch& each) {
      return each.name.empty() || each.name == to_string(LaunchMode::graph);
    });
    for (const FusionSolver& solver : fusion_solvers()) {
      FusionMeasurement m = described<double>(device, *launch);
      m.what = "solve";
      m.matrix = system.source.name;
      m.size = system.size;
      m.rows = matrix.rows;
      m.nonzeros = matrix.nonzeros();
      m.solver = solver.name;
      measure(std::move(m), [&](FusionMeasurement& measured) {
        if (!fault.empty()) throw Error(fault);
        return time_solve(*launch->backend, solver, matrix, measured);
      });
    }
  }

 private:
  template <class T>
  static FusionMeasurement described(const FusionDevice& device, const Launch& launch) {
    FusionMeasurement m;
    m.device = device.name;
    m.description = launch.backend->description();
    m.precision = precision_of<T>();
    m.launch = launch.name;
    return m;
  }

  template <class T>
  void measure_steps(const FusionDevice& device, const Launch& launch, std::int64_t size,
                     int basis) {
    for (const bool fused : {false, true}) {
      FusionMeasurement m = described<T>(device, launch);
      m.what = "gram-schmidt";
      m.solver = fused ? "gmres" : "gmres-blas1";
      m.dots = fused ? basis : 1;
      measure_schedule<T>(launch, gram_schmidt_schedule(basis, fused), size, basis, std::move(m));
    }
  }

  template <class T>
  void measure_dots(const FusionDevice& device, const Launch& launch, std::int64_t size, int basis,
                    int dots) {
    FusionMeasurement m = described<T>(device, launch);
    m.what = "dots";
    m.dots = dots;
    measure_schedule<T>(launch, dots_schedule(basis, dots), size, basis, std::move(m));
  }

  template <class T>
  void measure_schedule(const Launch& launch, const Schedule& schedule, std::int64_t size,
                        int basis, FusionMeasurement m) {
    m.size = m.rows = size;
    m.basis = basis;
    measure(std::move(m), [&](FusionMeasurement& measured) {
      return time_on_vectors<T>(*launch.backend, schedule, seconds_per_case, measured);
    });
  }

  void measure(FusionMeasurement m, const std::function<Timing(FusionMeasurement&)>& time) {
    if (goes_on_(label(m))) measurements.push_back(measured_case(std::move(m), time));
  }

  const FusionRequest& request_;
  Report goes_on_;
};

/// Measurements of all: for a bar of progress.
double expected_cases(const FusionRequest& request, const std::vector<FusionDevice>& devices) {
  const std::size_t solvers = fusion_solvers().size();
  std::size_t cases = 0;
  for (const FusionDevice& device : devices) {
    const std::size_t steps =
        2 * (request.bases.size() + request.sizes.size()) + measured_dots().size();
    const std::size_t launches = device.launches.size();
    const std::size_t of_precision = launches * (solvers * request.sizes.size() + steps);
    cases += request.precisions.size() * of_precision + solvers * request.systems.size();
  }
  return static_cast<double>(cases);
}

}  // namespace

const std::vector<std::int64_t>& figure1_sizes() {
  static const std::vector<std::int64_t> sizes{1'000, 10'000, 100'000, 1'000'000, 10'000'000};
  return sizes;
}

const std::vector<int>& figure2_bases() {
  static const std::vector<int> bases{1, 2, 5, 10, 20, 30, 40, figure2_basis};
  return bases;
}

const std::vector<int>& measured_dots() {
  static const std::vector<int> dots{1, 2, 4, 7, 8, 16};
  return dots;
}

std::int64_t basis_size(const std::vector<std::int64_t>& sizes) {
  return *std::ranges::min_element(sizes, {}, [](std::int64_t size) {
    return std::abs(std::log(static_cast<double>(size) / static_cast<double>(figure2_size)));
  });
}

std::vector<FusionMeasurement> measure_fusion(
    const FusionRequest& request, const std::function<bool(double, const std::string&)>& progress) {
  std::vector<FusionDevice> devices;
  for (const std::string& name : request.devices) {
    devices.push_back(open_fusion_device(name, request.threads));
  }
  const double total = expected_cases(request, devices);
  double done = 0;
  bool stopped = false;
  FusionRun run(request, [&](const std::string& what) {
    stopped = stopped || !progress(std::min(1.0, done++ / total), what);
    return !stopped;
  });
  const auto has = [&](Precision precision) {
    return std::ranges::count(request.precisions, precision) > 0;
  };
  for (const std::int64_t size : request.sizes) {
    if (stopped) break;
    const CsrMatrix<double> grid = grid_system(size, request.threads).source.make();
    for (const FusionDevice& device : devices) {
      if (has(Precision::f64)) run.measure_iterations(device, grid, size);
      if (has(Precision::f32)) {
        run.measure_iterations(device, convert_values<float>(grid.view()), size);
      }
    }
  }
  for (const FusionDevice& device : devices) {
    if (has(Precision::f64)) run.measure_vectors<double>(device);
    if (has(Precision::f32)) run.measure_vectors<float>(device);
  }
  if (!has(Precision::f64)) return std::move(run.measurements);
  for (const FusionSystem& system : request.systems) {
    if (stopped) break;
    const CsrMatrix<double> matrix = system.source.make();
    const std::string fault = fault_for_cg(matrix, request.threads);
    for (const FusionDevice& device : devices) run.solve(device, matrix, system, fault);
  }
  return std::move(run.measurements);
}

}  // namespace sparsecast::cli
