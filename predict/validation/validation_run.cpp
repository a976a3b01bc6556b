#include "predict/validation/validation_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "predict/validation/case_measurement.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/case_row.hpp"
#include "predict/validation/cases_on_ranks.hpp"

namespace sparsecast {

namespace {

/// A persistent kernel reads its matrix from shared memory and cache: larger ones are rarely a good
/// choice, so that few of them are measured, of the matrices of one turn in `persistent_turns`.
constexpr double usual_persistent_bytes = 150e6;
constexpr double most_persistent_bytes = 1e9;
constexpr std::size_t persistent_turns = 3;
/// Layouts that store so many times the nonzeros rarely pay: one of them is measured of the
/// matrices of one turn in `filled_turns`.
constexpr double least_fill = 2;
constexpr double most_fill = 6;
constexpr std::size_t filled_turns = 4;
/// Above so many nonzeros a conversion and upload takes far longer than a measurement: only the
/// fastest ways are measured.
constexpr std::int64_t large_nonzeros = 40'000'000;
/// Above so many only CSR, in one precision.
constexpr std::int64_t giant_nonzeros = 100'000'000;

/// The layouts of one matrix in one precision.
struct ChosenLayouts {
  std::vector<Layout> all;
  std::vector<Layout> in_rotation;  ///< those among them that only a few solvers run in
};

/// A number that differs from matrix to matrix.
std::size_t turn_of(const ValidationInput& input) {
  return std::strtoull(input.pattern.c_str(), nullptr, 16);
}

bool may_pay(const MatrixFeatures& features, const Layout& layout) {
  return sparsecast::may_pay(features.numbers(layout.format), layout);
}

std::vector<Precision> precisions_of(const ValidationInput& input,
                                     const ValidationRequest& request) {
  if (!request.gpu || input.features.nonzeros <= giant_nonzeros) return request.precisions;
  return {request.precisions[turn_of(input) % request.precisions.size()]};
}

/// On a CPU, where blocks of all sizes are of interest, whatever they hold.
std::vector<Layout> cpu_layouts(const MatrixFeatures& features) {
  std::vector<Layout> layouts;
  for (const Layout& layout : usual_layouts()) {
    if (layout.block_size > 1 || may_pay(features, layout)) layouts.push_back(layout);
  }
  return layouts;
}

/// Of a format those that may pay, by rising bytes of values and columns.
std::vector<Layout> paying_layouts(const Format& format, const MatrixFeatures& features,
                                   Precision precision) {
  std::vector<Layout> layouts = usual_layouts_of(format);
  std::erase_if(layouts, [&](const Layout& layout) { return !may_pay(features, layout); });
  std::ranges::stable_sort(layouts, {}, [&](const Layout& layout) {
    const SegmentShape shape = features.shape(layout);
    return static_cast<double>(bytes_per_value(precision)) * shape.elements +
           shape.index_bytes * shape.blocks;
  });
  return layouts;
}

/// One of those that store more than pays, where there are any and it is the matrix's turn.
std::optional<Layout> filled_layout(const ValidationInput& input) {
  const std::size_t turn = turn_of(input);
  if (turn % filled_turns != 0) return std::nullopt;
  const auto nonzeros = static_cast<double>(input.features.nonzeros);
  std::vector<Layout> filled;
  for (const Format* format : formats()) {
    const PatternNumbers numbers = input.features.numbers(format->name);
    for (const Layout& layout : usual_layouts_of(*format)) {
      if (format->refusal != nullptr && !format->refusal(numbers, layout).empty()) continue;
      const double elements = format->shape(numbers, layout).elements;
      if (elements > least_fill * nonzeros && elements <= most_fill * nonzeros) {
        filled.push_back(layout);
      }
    }
  }
  if (filled.empty()) return std::nullopt;
  return filled[turn / filled_turns % filled.size()];
}

ChosenLayouts layouts_of(const ValidationInput& input, Precision precision,
                         const ValidationRequest& request) {
  if (!request.layouts.empty()) return {request.layouts, {}};
  if (!request.gpu) return {cpu_layouts(input.features), {}};
  if (input.features.nonzeros > giant_nonzeros) return {{Layout{}}, {}};
  const bool large = input.features.nonzeros > large_nonzeros;
  const std::size_t best = large ? 1 : 2;
  ChosenLayouts chosen;
  for (const Format* format : formats()) {
    const std::vector<Layout> sensible = paying_layouts(*format, input.features, precision);
    for (std::size_t i = 0; i < std::min(best, sensible.size()); ++i) {
      chosen.all.push_back(sensible[i]);
    }
    if (sensible.size() > best && !large) {
      chosen.in_rotation.push_back(sensible[best + turn_of(input) / 7 % (sensible.size() - best)]);
      chosen.all.push_back(chosen.in_rotation.back());
    }
  }
  if (const auto filled = filled_layout(input); filled && !large) {
    chosen.in_rotation.push_back(*filled);
    chosen.all.push_back(*filled);
  }
  return chosen;
}

double value_bytes(const ValidationInput& input, const Layout& layout, Precision precision) {
  return static_cast<double>(bytes_per_value(precision)) * stored_shape_of(input, layout).elements;
}

/// Larger than usual, and the matrix's turn: in CSR, in the first of the precisions that it is so
/// large in.
bool is_large_persistent(const ValidationInput& input, const Layout& layout, Precision precision,
                         const ValidationRequest& request) {
  if (layout != Layout{} || turn_of(input) % persistent_turns != 0) return false;
  for (const Precision each : precisions_of(input, request)) {
    const double bytes = value_bytes(input, layout, each);
    if (bytes > usual_persistent_bytes && bytes <= most_persistent_bytes) return each == precision;
  }
  return false;
}

/// Whether a solver is measured on this matrix in this layout.
bool is_sensible(const ValidatedSolver& solver, const Layout& layout, const ChosenLayouts& layouts,
                 const ValidationInput& input, Precision precision,
                 const ValidationRequest& request) {
  if (is_vendor(solver.schedule) && layout != Layout{}) return false;
  if (!request.gpu || !request.layouts.empty()) return true;
  const bool persistent = solver.launch == LaunchMode::persistent;
  if (persistent && !format_of(layout).has_persistent_kernel) return false;
  if (persistent && value_bytes(input, layout, precision) > usual_persistent_bytes) {
    return is_large_persistent(input, layout, precision, request);
  }
  const bool large = input.features.nonzeros > large_nonzeros;
  if (large && solver.schedule == algorithm1().name()) return false;
  if (std::ranges::count(layouts.in_rotation, layout) == 0) return true;
  return solver.schedule == product_alone ||
         (solver.schedule == fused_cg().name() && solver.launch == LaunchMode::graph);
}

/// Libraries, products alone and kernels for all iterations have one GPU each, products alone one
/// rank, too; a CPU's groups of threads run everything.
bool runs_on_several(const ValidatedSolver& solver, const ValidationRequest& request) {
  const bool exchanges = solver.schedule != product_alone;
  if (!request.gpu) return exchanges || !request.of_ranks;
  return exchanges && solver.launch == request.launch_on_several() && !is_vendor(solver.schedule);
}

/// Measures one case and fills in what the back end knows.
void measure_row(const ValidationInput& input, const ValidationRequest& request,
                 const ValidationMonitor& monitor, LaunchMode launch, ValidationRow& row) {
  const auto measured = [&] {
    if (monitor.on_ranks != nullptr) return monitor.on_ranks->measure(input, row, launch);
    Backend& backend = monitor.backend(row.devices, launch);
    if (row.precision == Precision::f32) {
      return measure_case<float>(backend, input.f32(), row.schedule, row.layout, request);
    }
    return measure_case<double>(backend, input.f64.view(), row.schedule, row.layout, request);
  }();
  row.segments = measured.segments;
  row.measured_seconds = measured.timing.median_seconds;
  row.measured_spread = measured.timing.relative_spread;
  row.measured_error = measured.timing.relative_error;
  row.rounds = std::ssize(measured.timing.round_seconds);
}

/// A case that is to be measured: its row so far, and how it is launched.
struct Case {
  ValidationRow row;
  LaunchMode launch = LaunchMode::automatic;
};

/// All cases of a matrix, in the order in which they are measured.
std::vector<Case> cases_of(const ValidationInput& input, const ValidationRequest& request) {
  std::vector<Case> cases;
  for (const Precision precision : precisions_of(input, request)) {
    const ChosenLayouts layouts = layouts_of(input, precision, request);
    for (const Layout& layout : layouts.all) {
      for (const ValidatedSolver& solver : request.solvers) {
        if (!is_sensible(solver, layout, layouts, input, precision, request)) continue;
        for (const int devices : request.devices) {
          if (devices > 1 && !runs_on_several(solver, request)) continue;
          if (input.devices > 0 && devices != input.devices) continue;
          cases.push_back(
              {case_row(input, request, solver, precision, layout, devices), solver.launch});
        }
      }
    }
  }
  return cases;
}

}  // namespace

std::vector<ValidatedSolver> validated_solvers(const std::vector<std::string>& schedules,
                                               const std::vector<LaunchMode>& launches, bool gpu,
                                               const OwnSolvers& own) {
  std::vector<ValidatedSolver> solvers;
  for (const std::string& schedule : schedules) {
    if (!gpu) {
      if (!is_vendor(schedule)) solvers.push_back({schedule, LaunchMode::automatic});
      continue;
    }
    for (const LaunchMode launch : launches) {
      if (launch == LaunchMode::persistent &&
          (schedule == product_alone || !persistent_needs(case_solver(schedule, own).schedule))) {
        continue;
      }
      if (launch == LaunchMode::host && schedule == product_alone) continue;  // as plain
      solvers.push_back({schedule, launch});
    }
  }
  return solvers;
}

bool validate_matrix(const ValidationInput& input, const ValidationRequest& request,
                     const ValidationMonitor& monitor) {
  std::vector<Case> cases = cases_of(input, request);
  if (monitor.wanted) {
    std::erase_if(cases, [&](const Case& one) { return !monitor.wanted(one.row); });
  }
  // By precision, devices and layout; counted while the GPUs measure.
  std::map<std::tuple<Precision, int, std::size_t>, std::shared_future<std::vector<SegmentWork>>>
      work;
  const auto work_of = [&](const ValidationRow& row) {
    auto& place = work[{row.precision, row.devices, layout_index(row.layout)}];
    if (!place.valid()) {
      place = std::async(std::launch::async, [&input, &request, precision = row.precision,
                                              devices = row.devices, layout = row.layout] {
        return case_segments(input, precision, devices, layout, request);
      });
    }
    return place;
  };
  if (monitor.on_ranks != nullptr) monitor.on_ranks->forget_matrix();
  std::size_t done = 0;
  for (auto& [row, launch] : cases) {
    const std::string what = describe_case(row);
    const double share = static_cast<double>(done++) / static_cast<double>(cases.size());
    if (!monitor.proceed(what, share)) return false;
    const bool several = request.has_work(row.devices);
    if (several) {
      const auto counting = work_of(row);
      if (!request.gpu) counting.wait();  // it has the cores that measure
    }
    try {
      measure_row(input, request, monitor, launch, row);
    } catch (const Error& error) {
      monitor.skipped(what + ": " + error.what());
      continue;
    }
    note_state(monitor, row);
    if (several) {
      row.work = work_of(row).get();
    } else if (request.gpu) {
      row.execution = case_execution(input, row, request);
    }
    monitor.done(std::move(row));
  }
  return true;
}

}  // namespace sparsecast
