#include "predict/forecast/solve_setup.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/analysis/persistent_cut.hpp"
#include "core/matrix/diagonal.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/polls.hpp"
#include "predict/forecast/device_memory.hpp"

namespace sparsecast {

namespace {

/// Vectors that are copied to the devices: the start value, the right-hand side and the
/// preconditioner.
std::size_t copied_vectors(const SolverSlots& slots) {
  std::size_t vectors = 2 + slots.diagonals.size();
  for (const SolverSlots::InverseBlocks& each : slots.inverse_blocks) {
    vectors += each.vectors.size();
  }
  return vectors;
}

/// The layout in which persistent kernels keep a matrix of this one.
Layout kept_by_persistent(const Layout& layout) {
  return block_layout(persistent_block_size(layout.block_size));
}

/// Into the layout, with what a persistent kernel needs besides, which is known of the layouts that
/// such kernels keep.
std::optional<double> conversion_seconds(const SystemSize& system, double elements,
                                         const PrecisionProfile& profile,
                                         const Prediction& prediction) {
  const auto of = [&](const Layout& layout, std::optional<LaunchMode> launch, double stored) {
    const auto cost = profile.conversion.find(conversion_key(to_string(layout), launch));
    return cost != profile.conversion.end()
               ? std::optional(
                     cost->second.of(system.nonzeros, stored, system.unknowns, system.halo))
               : std::nullopt;
  };
  const Layout& layout = prediction.layout;
  const std::optional<double> whole = of(layout, prediction.launch, elements);
  const std::optional<double> alone = of(layout, LaunchMode::graph, elements);
  if (whole || prediction.launch != LaunchMode::persistent || !alone) return whole ? whole : alone;
  const Layout kept = kept_by_persistent(layout);
  const std::optional<double> of_kept = of(kept, LaunchMode::persistent, system.nonzeros);
  const std::optional<double> kept_alone = of(kept, LaunchMode::graph, system.nonzeros);
  if (!of_kept || !kept_alone) return alone;
  return *alone + std::max(0.0, *of_kept - *kept_alone);
}

/// Of the matrix in CSR, each device's rows with their offsets, and of the vectors: the devices
/// have alike parts, one after the other.
double upload_seconds(const SystemSize& system, const Solver& solver, std::size_t devices,
                      Precision precision, const DeviceProfile& profile) {
  const auto value_bytes = static_cast<double>(bytes_per_value(precision));
  const double share = 1 / static_cast<double>(devices);
  const double nonzeros = share * system.nonzeros;
  const double unknowns = share * system.unknowns;
  const std::array matrix{value_bytes * nonzeros, sizeof(std::int32_t) * nonzeros,
                          sizeof(std::int64_t) * (unknowns + 1)};
  return static_cast<double>(devices) *
         (stored_matrices(solver.schedule) * profile.seconds_of_upload(matrix) +
          static_cast<double>(copied_vectors(solver.slots)) *
              profile.seconds_of_vector_upload(value_bytes * unknowns));
}

/// Of the host, whose threads look for the diagonal, of which one makes the vectors, and which
/// inverts its blocks: what the hosts of H200s took (2026-11-29, 16 cores; those of H100s alike),
/// on others within a factor of some five.
double preconditioner_seconds(const SystemSize& system, const SolverSlots& slots) {
  constexpr double of_entry = 1e-9;
  constexpr double of_row = 4.2e-9;
  constexpr double most_threads = 16;
  constexpr double of_block_row = 10e-9;
  constexpr double of_block_entry = 5e-9;
  if (slots.diagonals.empty() && slots.inverse_blocks.empty()) return 0;
  const double threads =
      std::clamp(std::floor(system.unknowns / diagonal_rows_per_thread), 1.0, most_threads);
  double seconds = of_entry / threads * system.nonzeros + of_row * system.unknowns;
  for (const SolverSlots::InverseBlocks& each : slots.inverse_blocks) {
    const auto block_size = static_cast<double>(each.vectors.size());
    seconds += (of_block_row + of_block_entry * block_size) * system.unknowns;
  }
  return seconds;
}

/// A kernel that finds that there is nothing to do: on an H200 1.4 us of a graph (a regression on
/// 31 solves, 2026-11-29).
double idle_kernel_seconds(const PricedSchedule& schedule, const TrafficParameters& parameters) {
  const bool passes = schedule.has_passes() && parameters.passes;
  const auto kernel = parameters.kernels.find(passes ? pass_kind : vector_kind);
  if (kernel == parameters.kernels.end()) return 0;
  return kernel->second.fixed_seconds + (passes ? parameters.passes->end_seconds : 0);
}

/// What the run of a solve takes beside its iterations. The kernel for all of them has to start,
/// which the host waits for as it does for the end: 40 us on an H200 (the median of 30 solves). Of
/// other launches there are more than iterations when the host sees the end.
double ending_seconds(const ListedSolver& solver, const TrafficParameters& parameters,
                      const Prediction& prediction) {
  if (prediction.iterations <= 0 || !prediction.launch || calls_libraries(solver.solver())) {
    return 0;
  }
  const LaunchMode launch = *prediction.launch;
  if (launch == LaunchMode::persistent) return 2 * parameters.device.wait_seconds;
  if (launch == LaunchMode::host) return 0;
  const PricedSchedule& schedule = solver.priced();
  const std::int64_t launches = std::ssize(schedule.kernels()) + std::ssize(schedule.skipped());
  const CudaPolicy policy;
  const bool graph = launch == LaunchMode::graph;
  const std::int64_t between =
      iterations_between_polls(policy, launches, graph ? iterations_of_graph(policy, launches) : 1);
  const std::int64_t idle =
      launched_iterations(prediction.iterations, between) - prediction.iterations;
  const double plain = graph ? 0 : parameters.device.plain_seconds;
  return static_cast<double>(idle * launches) * (idle_kernel_seconds(schedule, parameters) + plain);
}

/// The 90 % interval of the total, of whose time some seconds are done once.
Interval around_total(const Prediction& prediction, double once) {
  // Most conversions and uploads that calibrations measured lie so near to their fit: of those of
  // an H200 63 to 83 %, of an H100 67 to 92 %.
  constexpr double setup_spread = 0.4;
  const double total = *prediction.total_seconds;
  const double iterations = *prediction.iterations_seconds;
  const Interval& known = *prediction.iterations_interval;
  return {total - std::hypot(iterations - known.low, setup_spread * once),
          total + std::hypot(known.high - iterations, setup_spread * once)};
}

}  // namespace

void add_setup(const SystemSize& system, const Solver& solver,
               std::span<const SegmentShape> segments, const DeviceProfile& profile, bool converts,
               Prediction& prediction) {
  const Precision precision = prediction.precision;
  double elements = 0;
  for (const SegmentShape& segment : segments) elements += segment.elements;
  const auto seconds = conversion_seconds(system, elements, profile.at(precision), prediction);
  if (seconds && converts) {
    prediction.conversion_seconds = stored_matrices(solver.schedule) * *seconds;
  }
  if (profile.kind == DeviceProfile::Kind::cpu) {
    prediction.upload_seconds = 0;
  } else if (profile.upload_gbps) {
    prediction.upload_seconds = upload_seconds(system, solver, segments.size(), precision, profile);
  }
}

void add_solve_seconds(const CountedSolver* counted, const SystemSize& system,
                       const ListedSolver& solver, const DeviceProfile& profile,
                       const PartSeconds& seconds_of, Prediction& prediction) {
  double ending = 0;
  double last_seconds = prediction.seconds_per_iteration;
  if (counted != nullptr) {
    const IterationCount& count = counted->count;
    prediction.count = count;
    prediction.iterations = std::llround(std::ceil(count.expected()));
    prediction.start_seconds = preconditioner_seconds(system, solver.solver().slots);
    if (profile.kind == DeviceProfile::Kind::gpu && profile.traffic) {
      *prediction.start_seconds += 2 * profile.traffic->parameters.device.wait_seconds;
      ending = ending_seconds(solver, profile.traffic->parameters, prediction);
    }
    if (counted->setup) {
      *prediction.start_seconds +=
          seconds_of(*counted->setup).value_or(prediction.seconds_per_iteration);
    }
    if (counted->last_cycle) {
      last_seconds = seconds_of(*counted->last_cycle).value_or(last_seconds);
    }
  }
  const auto& count = prediction.count;
  if (prediction.iterations <= 0 && !count) return;
  const double start = prediction.start_seconds.value_or(0);
  double iterating = 0;
  if (prediction.iterations > 0) {
    const std::int64_t whole = count ? count->iterations : prediction.iterations;
    iterating = static_cast<double>(whole - 1) * prediction.seconds_per_iteration + last_seconds;
    // The last cycle is priced as b as given ended; what others take more or less are whole ones.
    if (count) iterating += (count->expected() - count->amount) * prediction.seconds_per_iteration;
  }
  const double seconds = start + iterating + ending;
  prediction.iterations_seconds = seconds;
  if (const auto& one = prediction.interval_seconds) {
    const bool spreads = count && count->converged > 0 && count->expected() > 0;
    const double fewer = spreads ? count->fewest / count->expected() : 1;
    const double more = spreads ? count->most / count->expected() : 1;
    const double scaled = iterating / prediction.seconds_per_iteration;
    prediction.iterations_interval = Interval{start + scaled * one->low * fewer + ending,
                                              start + scaled * one->high * more + ending};
  }
  if (knows_setup(prediction)) {
    const double before = *prediction.conversion_seconds + *prediction.upload_seconds;
    prediction.total_seconds = before + seconds;
    if (prediction.iterations_interval) {
      prediction.total_interval = around_total(prediction, before + start);
    }
  }
}

std::optional<Interval> compared_interval(const Prediction& prediction) {
  if (!prediction.total_interval) return std::nullopt;
  return around_total(prediction, *prediction.conversion_seconds);
}

bool lacks_preparation(const Prediction& prediction, const DeviceProfile& profile) {
  if (prediction.launch != LaunchMode::persistent) return false;
  const Layout kept = kept_by_persistent(prediction.layout);
  const auto& conversion = profile.at(prediction.precision).conversion;
  return !conversion.contains(conversion_key(to_string(kept), prediction.launch));
}

bool knows_setup(const Prediction& prediction) {
  return prediction.conversion_seconds && prediction.upload_seconds;
}

std::optional<double> pays_after(const Prediction& layout, const Prediction& csr) {
  if (!knows_setup(layout) || !knows_setup(csr)) return std::nullopt;
  const double saved = csr.seconds_per_iteration - layout.seconds_per_iteration;
  const double dearer = *layout.conversion_seconds + *layout.upload_seconds -
                        *csr.conversion_seconds - *csr.upload_seconds;
  if (dearer <= 0 && saved >= 0) return 0;
  return saved > 0 ? std::ceil(dearer / saved) : std::numeric_limits<double>::infinity();
}

}  // namespace sparsecast
