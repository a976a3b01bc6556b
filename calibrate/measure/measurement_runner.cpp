#include "calibrate/measure/measurement_runner.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "calibrate/measure/measured_schedules.hpp"
#include "calibrate/measure/planned_executions.hpp"
#include "calibrate/measure/sample_volumes.hpp"
#include "core/analysis/cuda_segments.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/workload/exchange_mode.hpp"

namespace sparsecast {

namespace {

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

/// What the sample says of the prepared system.
template <class T>
void complete(Sample& sample, const Measurement& measurement, const Schedule& schedule,
              const PreparedSchedule<T>& prepared) {
  sample.shape = whole_of(prepared.segments());
  sample.elements = transferred_elements(schedule, sample.shape, exchanged_vectors(measurement));
  sample.bytes = bytes_of(schedule, sample.shape, sample.precision);
}

/// Of what happens once for a matrix: no spread is known.
Sample sample_of_preparation(const Sample& of, std::string_view kernel, double seconds) {
  Sample sample = of;
  sample.kernel = kernel;
  sample.schedule.clear();
  sample.elements = 0;
  sample.access.reset();
  sample.execution.reset();
  sample.bytes = {};
  sample.seconds = seconds;
  sample.relative_spread = 0;
  sample.relative_error = 0;
  sample.repeats = 1;
  sample.rounds = 1;
  sample.stable = false;
  return sample;
}

void add_conversion(const Sample& of, double seconds, std::vector<Sample>& samples) {
  if (!(seconds > 0)) return;
  samples.push_back(sample_of_preparation(of, conversion, seconds));
  if (of.launch == to_string(LaunchMode::persistent)) samples.back().execution = of.execution;
}

template <class T>
void add_upload(const Sample& of, double seconds, std::vector<Sample>& samples) {
  if (!(seconds > 0)) return;
  Sample sample = sample_of_preparation(of, matrix_upload, seconds);
  sample.bytes.values = sample.nonzeros * sizeof(T);
  sample.bytes.indices = sample.nonzeros * sizeof(std::int32_t);
  sample.bytes.row_pointers = (sample.shape.unknowns + 1) * sizeof(std::int64_t);
  samples.push_back(sample);
}

template <class T>
void add_vector_upload(const Sample& of, double seconds, std::vector<Sample>& samples) {
  if (!(seconds > 0)) return;
  Sample sample = sample_of_preparation(of, vector_upload, seconds);
  sample.bytes.vector_reads = sample.shape.unknowns * sizeof(T);
  samples.push_back(sample);
}

/// The middle one of some: what a process does once, as loading kernels and what all its copies
/// share, is in the first alone.
template <class Prepare>
double usual_seconds(const Prepare& seconds_of_one) {
  constexpr double enough_seconds = 0.2;
  constexpr int least = 3;
  constexpr int most = 7;
  std::vector<double> seconds;
  double sum = 0;
  while (std::ssize(seconds) < least || (std::ssize(seconds) < most && sum < enough_seconds)) {
    seconds.push_back(seconds_of_one());
    sum += seconds.back();
  }
  return quantile(std::move(seconds), 0.5);
}

/// What it takes to copy a vector to a device.
template <class T>
double usual_vector_upload(PreparedSchedule<T>& prepared, std::int64_t unknowns) {
  std::vector<T> values(static_cast<std::size_t>(unknowns));
  std::iota(values.begin(), values.end(), T(1));
  return usual_seconds([&] {
    const double begin = steady_seconds();
    prepared.set_vector(fused_cg().slots.right_hand_side, values);
    return steady_seconds() - begin;
  });
}

}  // namespace

MeasurementRunner::MeasurementRunner(const MeasurementPlan& plan, const MeasuredDevice& device,
                                     const std::set<std::string>& measured)
    : plan_(plan),
      device_(device),
      supply_(plan.matrices, matrices_to_measure(plan, measured), device.supply,
              execution_counter(plan, device, measured)) {}

Backend& MeasurementRunner::backend(const Measurement& measurement) {
  const bool iterates = measurement.kernel == "Iteration" || is_pass_iteration(measurement.kernel);
  const auto kind =
      std::tuple(measurement.devices, measurement.launch, iterates, measurement.exchange);
  if (!backend_ || backend_kind_ != kind) {
    CudaPolicy policy;
    if (measurement.launch) policy.launch_mode = *measurement.launch;
    if (measurement.devices > 1 && is_gpu()) {
      policy.exchange = parse_exchange_mode(measurement.exchange);
    }
    // A kernel alone ends no run: there is nothing to look for.
    if (!iterates) policy.poll_every(1 << 30);
    backend_ = device_.open(measurement.devices, policy);
    backend_kind_ = kind;
  }
  return *backend_;
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> MeasurementRunner::prepare(const Measurement& measurement,
                                                                const Schedule& schedule,
                                                                const CsrView<T>& matrix) {
  Backend& on = backend(measurement);
  const auto& held = held_.as<T>();
  return held != nullptr && measurement.devices == 1
             ? on.prepare_beside(*held, schedule, matrix, measurement.layout)
             : on.prepare(schedule, matrix, measurement.layout);
}

template <class T>
Timing MeasurementRunner::time_kernel(PreparedSchedule<T>& prepared, const Measurement& measurement,
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

void MeasurementRunner::take(Sample& sample, const Timing& timing,
                             std::vector<Sample>& samples) const {
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

template <class T>
void MeasurementRunner::measure_as(const Measurement& measurement, std::vector<Sample>& samples) {
  const Schedule schedule = schedule_to_measure(measurement.kernel, measurement.schedule);
  Sample sample;
  sample.precision = measurement.precision;
  sample.kernel = measurement.kernel;
  sample.schedule = measurement.schedule;
  sample.launch = measurement.launch ? to_string(*measurement.launch) : "";
  sample.devices = measurement.devices;
  sample.exchange = measurement.exchange;
  sample.held_out = measurement.held_out;
  const std::tuple copy(measurement.matrix, measurement.precision, measurement.layout);
  if (held_.copy != copy) held_ = {copy, nullptr, nullptr};
  if (measurement.matrix < 0) {
    const auto prepared = prepare_vectors<T>(backend(measurement), schedule, measurement.unknowns);
    complete(sample, measurement, schedule, *prepared);
    take(sample, time_kernel(*prepared, measurement, schedule), samples);
    return;
  }

  const SuppliedMatrix& matrix = supply_.get(measurement.matrix);
  const MatrixFeatures& features = matrix.features;
  if (is_left_out(measurement, matrix, device_)) return;
  sample.layout = to_string(measurement.layout);
  sample.matrix = plan_.matrices[static_cast<std::size_t>(measurement.matrix)].description;
  sample.nonzeros = static_cast<double>(features.nonzeros);
  const CsrView<T> view = matrix.view<T>();
  if (device_.gpu && sample.devices == 1) {
    sample.execution = matrix.executions.at(execution_case(measurement));
    // To cut the matrix takes the host long, and would end in the same.
    const bool persistent = measurement.launch == LaunchMode::persistent;
    if (persistent && !sample.execution->persistent.fits) {
      throw Error("no persistent kernel has room for the parts of its vectors");
    }
  }
  auto prepared = prepare(measurement, schedule, view);
  complete(sample, measurement, schedule, *prepared);
  if (is_preparation(measurement.kernel)) {
    supply_.wait_until_idle();  // the host's threads do it
    if (measurement.kernel == matrix_upload) {
      add_vector_upload<T>(sample, usual_vector_upload<T>(*prepared, view.rows), samples);
    }
    // A solve begins with nothing on the device, where the first array takes longer.
    prepared.reset();
    const auto again = [&] { return prepare(measurement, schedule, view); };
    if (measurement.kernel == conversion) {
      const auto seconds = [&] { return again()->conversion_seconds(); };
      add_conversion(sample, usual_seconds(seconds), samples);
    } else {
      const auto seconds = [&] { return again()->upload_seconds(); };
      add_upload<T>(sample, usual_seconds(seconds), samples);
    }
    return;
  }
  sample.access =
      stored_pattern(matrix.access, sample.shape, measurement.layout, measurement.precision);
  if (device_.gpu && sample.devices > 1) {
    sample.segments =
        cuda_segments(view, measurement.layout, sample.devices, sample.precision, *device_.gpu,
                      CudaPolicy{}, parse_exchange_mode(sample.exchange));
  }
  const Timing timing =
      measurement.kernel == "Iteration"
          ? measure_iteration(*prepared, built_in(measurement.schedule).slots, view,
                              plan_.iteration_stopwatch.value_or(plan_.stopwatch))
          : time_kernel(*prepared, measurement, schedule);
  take(sample, timing, samples);
  if (measurement.kernel == "SpMV") {
    add_conversion(sample, prepared->conversion_seconds(), samples);
  }
  if (is_gpu() && measurement.devices == 1 && held_.as<T>() == nullptr) {
    held_.as<T>() = std::move(prepared);
  }
}

void MeasurementRunner::measure(const Measurement& measurement, std::vector<Sample>& samples) {
  if (measurement.precision == Precision::f32) {
    measure_as<float>(measurement, samples);
  } else {
    measure_as<double>(measurement, samples);
  }
}

}  // namespace sparsecast
