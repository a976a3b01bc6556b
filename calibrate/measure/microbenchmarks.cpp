#include "calibrate/measure/microbenchmarks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/cuda_segments.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/visits.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/workload/exchange_mode.hpp"

namespace sparsecast {

namespace {

/// "Load/4/fixed" or "Mixed/2r1w"; nothing for other names.
std::optional<Schedule> traffic_schedule(const std::string& kernel) {
  const auto digit = [&kernel](std::size_t position) {
    return position < kernel.size() && kernel[position] >= '1' && kernel[position] <= '9'
               ? kernel[position] - '0'
               : 0;
  };
  constexpr std::size_t number_position = 5;  // after "Load/"
  constexpr std::size_t reads_position = 6;   // after "Mixed/"
  constexpr std::size_t writes_position = 8;
  if (kernel.starts_with("Load/") && digit(number_position) > 0) {
    const std::string split = kernel.substr(number_position + 1);
    if (split == "/fixed") return load_schedule(digit(number_position), false);
    if (split == "/variable") return load_schedule(digit(number_position), true);
  }
  if (kernel.starts_with("Mixed/") && digit(reads_position) > 0 && digit(writes_position) > 0 &&
      kernel == "Mixed/" + std::to_string(digit(reads_position)) + 'r' +
                    std::to_string(digit(writes_position)) + 'w') {
    return mixed_schedule(digit(reads_position), digit(writes_position));
  }
  return std::nullopt;
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(Backend& backend, const Schedule& schedule,
                                                     std::int64_t unknowns) {
  if constexpr (std::is_same_v<T, float>) {
    return backend.prepare_vectors_f32(schedule, unknowns);
  } else {
    return backend.prepare_vectors_f64(schedule, unknowns);
  }
}

/// How often the exchanged vector counts in equation 11's exchange: staged, every device's passes
/// the bus of all; from device to device each gets the others' parts.
double exchanged_vectors(const Measurement& measurement) {
  const double n = measurement.devices;
  if (measurement.devices == 1) return 0;
  return measurement.exchange == to_string(ExchangeMode::peer) ? (n - 1) / n : n;
}

/// Transferred elements m; of kernels and reductions the sum.
double transferred_elements(const Schedule& schedule, const SegmentShape& whole,
                            double vectors_exchanged) {
  double elements = 0;
  for (const Step& step : schedule.iteration) {
    if (step.kind == StepKind::exchange) {
      elements += step.traffic.exchanged_per_total_unknown * whole.unknowns * vectors_exchanged;
    } else {
      elements += evaluate(step.elements, whole);
    }
  }
  return elements;
}

BytesByKind bytes_of(const Schedule& schedule, const SegmentShape& whole, Precision precision) {
  BytesByKind sum;
  for (const Step& step : schedule.iteration) {
    if (step.guard) continue;  // CG2 and its reduction: never in a measured iteration
    const BytesByKind bytes = bytes_moved(step, whole, precision);
    sum.values += bytes.values;
    sum.indices += bytes.indices;
    sum.row_pointers += bytes.row_pointers;
    sum.vector_reads += bytes.vector_reads;
    sum.vector_writes += bytes.vector_writes;
    sum.exchanged += bytes.exchanged;
  }
  return sum;
}

SegmentShape whole_of(const std::vector<SegmentShape>& segments) {
  SegmentShape whole;
  whole.index_bytes = 0;
  for (const SegmentShape& segment : segments) {
    whole.index_bytes = std::max(whole.index_bytes, segment.index_bytes);
    whole.unknowns += segment.unknowns;
    whole.elements += segment.elements;
    whole.blocks += segment.blocks;
    whole.block_rows += segment.block_rows;
  }
  whole.total_unknowns = whole.unknowns;
  return whole;
}

template <class T>
CsrView<T> view_of(const SuppliedMatrix& matrix) {
  if constexpr (std::is_same_v<T, float>) {
    return matrix.f32.view();
  } else {
    return matrix.f64.view();
  }
}

/// Layouts that hold mostly zeros, or take more memory than anybody would give them.
bool is_left_out(const Measurement& measurement, const MatrixFeatures& features,
                 const MeasuredDevice& device) {
  const auto elements =
      static_cast<double>(features.block(measurement.layout.block_size).block_elements);
  return elements * static_cast<double>(bytes_per_value(measurement.precision)) >
             device.most_matrix_bytes ||
         elements > measurement.most_fill * static_cast<double>(features.nonzeros);
}

CountedExecutions::Case execution_case(const Measurement& measurement) {
  return {measurement.layout, measurement.precision, measurement.launch == LaunchMode::persistent};
}

/// Indices of the matrices that are still to be measured, in the plan's order.
std::vector<int> matrices_to_measure(const MeasurementPlan& plan,
                                     const std::set<std::string>& measured) {
  std::vector<int> order;
  for (const Measurement& measurement : plan.measurements) {
    if (measurement.matrix < 0 || measured.contains(measurement_id(plan, measurement))) continue;
    if (std::ranges::find(order, measurement.matrix) == order.end()) {
      order.push_back(measurement.matrix);
    }
  }
  return order;
}

/// Counts, for the matrices of a plan as they are generated, what the GPU does with them in the
/// measurements that are still to be made: while it measures others.
std::function<void(int index, SuppliedMatrix& matrix)> execution_counter(
    const MeasurementPlan& plan, const MeasuredDevice& device,
    const std::set<std::string>& measured) {
  if (!device.gpu) return [](int, SuppliedMatrix&) {};
  std::multimap<int, Measurement> of_matrix;
  for (const Measurement& measurement : plan.measurements) {
    if (measurement.matrix < 0 || measurement.devices > 1) continue;
    if (measured.contains(measurement_id(plan, measurement))) continue;
    of_matrix.emplace(measurement.matrix, measurement);
  }
  return [of_matrix = std::move(of_matrix), &device](int index, SuppliedMatrix& matrix) {
    const auto [begin, end] = of_matrix.equal_range(index);
    for (const auto& [its_index, measurement] : std::ranges::subrange(begin, end)) {
      if (is_left_out(measurement, matrix.features, device)) continue;
      const auto count = [&, &one = measurement](const auto& view) {
        matrix.executions.count(execution_case(one), view, matrix.features, matrix.access,
                                *device.gpu, device.supply.threads);
      };
      if (measurement.precision == Precision::f32) {
        count(view_of<float>(matrix));
      } else {
        count(view_of<double>(matrix));
      }
    }
  };
}

/// Runs the measurements of a plan one by one.
class PlanRunner {
 public:
  PlanRunner(const MeasurementPlan& plan, const MeasuredDevice& device,
             const std::set<std::string>& measured)
      : plan_(plan),
        device_(device),
        supply_(plan.matrices, matrices_to_measure(plan, measured), device.supply,
                execution_counter(plan, device, measured)) {}

  void measure(const Measurement& measurement, std::vector<Sample>& samples) {
    if (measurement.precision == Precision::f32) {
      measure_as<float>(measurement, samples);
    } else {
      measure_as<double>(measurement, samples);
    }
  }

 private:
  bool is_gpu() const { return device_.origin.kind == DeviceProfile::Kind::gpu; }

  Backend& backend(const Measurement& measurement) {
    const bool iterates = measurement.kernel == "Iteration";
    const auto kind =
        std::tuple(measurement.devices, measurement.launch, iterates, measurement.exchange);
    if (!backend_ || backend_kind_ != kind) {
      CudaPolicy policy;
      if (measurement.launch) policy.launch_mode = *measurement.launch;
      if (measurement.devices > 1 && is_gpu()) {
        policy.exchange = parse_exchange_mode(measurement.exchange);
      }
      // A kernel alone ends no run: there is nothing to look for.
      if (!iterates) policy.iterations_between_polls = 1 << 30;
      backend_ = device_.open(measurement.devices, policy);
      backend_kind_ = kind;
    }
    return *backend_;
  }

  template <class T>
  void measure_as(const Measurement& measurement, std::vector<Sample>& samples) {
    const Schedule schedule = schedule_to_measure(measurement.kernel, measurement.schedule);
    Sample sample;
    sample.precision = measurement.precision;
    sample.kernel = measurement.kernel;
    sample.schedule = measurement.schedule;
    sample.launch = measurement.launch ? to_string(*measurement.launch) : "";
    sample.devices = measurement.devices;
    sample.exchange = measurement.exchange;
    sample.held_out = measurement.held_out;
    if (measurement.matrix < 0) {
      const auto prepared =
          prepare_vectors<T>(backend(measurement), schedule, measurement.unknowns);
      complete(sample, measurement, schedule, *prepared);
      take(sample, time_kernel(*prepared, measurement, schedule), samples);
      return;
    }

    const SuppliedMatrix& matrix = supply_.get(measurement.matrix);
    const MatrixFeatures& features = matrix.features;
    if (is_left_out(measurement, features, device_)) return;
    sample.layout = to_string(measurement.layout);
    sample.matrix = plan_.matrices[static_cast<std::size_t>(measurement.matrix)].description;
    sample.nonzeros = static_cast<double>(features.nonzeros);
    sample.access = matrix.access.pattern(measurement.layout, measurement.precision);
    const CsrView<T> view = view_of<T>(matrix);
    const auto prepared = backend(measurement).prepare(schedule, view, measurement.layout);
    complete(sample, measurement, schedule, *prepared);
    if (device_.gpu && sample.devices > 1) {
      sample.segments =
          cuda_segments(view, measurement.layout, sample.devices, sample.precision, *device_.gpu,
                        CudaPolicy{}, parse_exchange_mode(sample.exchange));
    } else if (device_.gpu) {
      sample.execution = matrix.executions.at(execution_case(measurement));
    }
    const Timing timing = measurement.kernel == "Iteration"
                              ? measure_iteration(*prepared, view, plan_.stopwatch)
                              : time_kernel(*prepared, measurement, schedule);
    take(sample, timing, samples);
    if (measurement.kernel == "SpMV") add_preparation(sample, *prepared, samples);
  }

  /// What the sample says of the prepared system.
  template <class T>
  static void complete(Sample& sample, const Measurement& measurement, const Schedule& schedule,
                       const PreparedSchedule<T>& prepared) {
    sample.shape = whole_of(prepared.segments());
    sample.elements = transferred_elements(schedule, sample.shape, exchanged_vectors(measurement));
    sample.bytes = bytes_of(schedule, sample.shape, sample.precision);
  }

  template <class T>
  Timing time_kernel(PreparedSchedule<T>& prepared, const Measurement& measurement,
                     const Schedule& schedule) {
    // Any positive values will do: scalars at 0 keep the vectors where they are. They differ within
    // and between vectors.
    constexpr std::size_t period = 13;
    std::array<T, 2 * period> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 1 + static_cast<T>(i % period) / 16;
    }
    for (std::size_t k = 0; k < schedule.vectors.size(); ++k) {
      prepared.repeat_in_vector(schedule.vectors[k].name,
                                std::span<const T>(values).subspan(k % period, period));
    }
    // A library may do nothing for a factor of 0; with 1 its vectors stay finite.
    if (measurement.kernel.starts_with("cublas")) {
      for (const Step& step : schedule.iteration) {
        for (const ScalarSlot slot : step.scalars) {
          prepared.set_scalar(schedule.scalars[static_cast<std::size_t>(slot)].name, 1);
        }
      }
    }
    if (!schedule.setup.empty()) prepared.run_setup();
    const auto body = [&](std::int64_t repeats) {
      const RunReport report = prepared.run(repeats);
      if (report.iterations != repeats) {
        throw Error("ended after " + std::to_string(report.iterations) + " of " +
                    std::to_string(repeats) + " runs: " + std::string(to_string(report.outcome)));
      }
    };
    return is_gpu() ? measure_repeats_alone(body, plan_.stopwatch)
                    : sparsecast::measure(body, plan_.stopwatch);
  }

  void take(Sample& sample, const Timing& timing, std::vector<Sample>& samples) const {
    if (!(timing.median_seconds > 0)) throw Error("its time is lost in noise");
    if (device_.state) {
      const GpuState state = device_.state();
      sample.core_clock_mhz = state.core_clock_hertz / 1e6;
      sample.throttle_reasons = state.throttle_reasons;
    }
    sample.seconds = timing.median_seconds;
    sample.relative_spread = timing.relative_spread;
    sample.relative_error = timing.relative_error;
    sample.repeats = timing.repeats;
    sample.rounds = static_cast<int>(timing.round_seconds.size());
    sample.stable = timing.stable;
    samples.push_back(sample);
  }

  /// Converting and copying happen once for a matrix, so they are timed once: no spread is known.
  template <class T>
  static void add_preparation(Sample sample, const PreparedSchedule<T>& prepared,
                              std::vector<Sample>& samples) {
    sample.elements = 0;
    sample.access.reset();
    sample.execution.reset();
    sample.bytes = {};
    sample.relative_spread = 0;
    sample.relative_error = 0;
    sample.repeats = 1;
    sample.rounds = 1;
    sample.stable = false;
    if (prepared.conversion_seconds() > 0) {
      sample.kernel = "Convert";
      sample.seconds = prepared.conversion_seconds();
      samples.push_back(sample);
    }
    if (prepared.upload_seconds() > 0) {
      sample.kernel = "Upload";
      sample.seconds = prepared.upload_seconds();
      sample.bytes.values = sample.nonzeros * sizeof(T);
      sample.bytes.indices = sample.nonzeros * sizeof(std::int32_t);
      sample.bytes.row_pointers = (sample.shape.unknowns + 1) * sizeof(std::int64_t);
      samples.push_back(sample);
    }
  }

  const MeasurementPlan& plan_;
  const MeasuredDevice& device_;
  MatrixSupply supply_;
  std::unique_ptr<Backend> backend_;
  std::tuple<int, std::optional<LaunchMode>, bool, std::string> backend_kind_;
};

}  // namespace

Schedule schedule_to_measure(const std::string& kernel, const std::string& schedule) {
  if (kernel == "Iteration") return cg_schedule(schedule);
  if (kernel == "Exchange") return exchange_schedule();
  if (kernel == "Barrier") return barrier_schedule();
  if (const std::optional<Schedule> traffic = traffic_schedule(kernel)) return *traffic;
  return single_step_schedule(kernel);
}

PlanFailures run_plan(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
                      const PlanObserver& observer) {
  file.plan = plan.name;
  file.partial = true;
  std::set<std::string> measured;
  for (const Sample& sample : file.samples) measured.insert(sample_id(sample));

  PlanProgress progress;
  progress.total = static_cast<int>(plan.measurements.size()) * plan.passes;
  double estimated_left = plan.estimated_seconds();
  for (const Measurement& measurement : plan.measurements) {
    if (!measured.contains(measurement_id(plan, measurement))) continue;
    // What is there already is not measured again.
    progress.done += plan.passes;
    estimated_left -= plan.passes * measurement.estimated_seconds;
  }

  PlanFailures failures;
  int in_succession = 0;
  const double start = steady_seconds();
  double estimated_done = 0;
  Visits visits;
  for (int pass = 0; pass < plan.most_passes; ++pass) {
    if (pass >= plan.passes) {
      for (const Measurement& measurement : plan.measurements) {
        const std::string id = measurement_id(plan, measurement);
        if (measured.contains(id)) continue;
        // What has no time cannot be measured on this device.
        if (!visits.knows(id) || visits.confirmed(id)) {
          measured.insert(id);
          continue;
        }
        ++progress.total;
        estimated_left += measurement.estimated_seconds;
      }
    }
    PlanRunner runner(plan, device, measured);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < file.samples.size(); ++i) places[sample_id(file.samples[i])] = i;
    for (const Measurement& measurement : plan.measurements) {
      const std::string id = measurement_id(plan, measurement);
      if (measured.contains(id)) continue;
      const double correction =
          estimated_done > 0 ? (steady_seconds() - start) / estimated_done : 1.0;
      progress.remaining_seconds = estimated_left * correction;
      progress.what = id;
      if (!observer(progress)) return failures;
      try {
        std::vector<Sample> samples;
        runner.measure(measurement, samples);
        if (!samples.empty()) visits.add(id, samples.front().seconds);
        for (Sample& sample : samples) add_visit(std::move(sample), places, file.samples);
        in_succession = 0;
      } catch (const Error& error) {
        if (failures.count++ == 0) failures.first = id + ": " + error.what();
        constexpr int most_in_succession = 30;
        if (++in_succession == most_in_succession) {
          throw Error("calibration: " + std::to_string(most_in_succession) +
                      " measurements in succession failed; the last: " + id + ": " + error.what());
        }
      }
      estimated_done += measurement.estimated_seconds;
      estimated_left -= measurement.estimated_seconds;
      ++progress.done;
    }
  }
  file.partial = false;
  return failures;
}

}  // namespace sparsecast
