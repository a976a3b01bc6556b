#include "calibrate/microbenchmarks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/backend.hpp"
#include "core/cg_schedule.hpp"
#include "core/error.hpp"
#include "core/features.hpp"
#include "core/machine.hpp"
#include "core/microbenchmark_schedules.hpp"
#include "core/stopwatch.hpp"

namespace sparsecast {

namespace {

Schedule resting_iteration_schedule() {
  Schedule schedule = algorithm1_schedule();
  const auto unused = static_cast<ScalarSlot>(schedule.scalars.size());
  schedule.scalars.push_back({"unused", 0});
  const ScalarSlot t = scalar_slot(schedule, "t");
  const ScalarSlot s = scalar_slot(schedule, "s");
  for (Step& step : schedule.iteration) {
    for (ScalarAssignment& assignment : step.assignments) {
      if (assignment.target == t || assignment.target == s) assignment.target = unused;
    }
    // No progress is the point.
    std::erase_if(step.stop_tests,
                  [](const StopTest& stop) { return stop.outcome == Outcome::stagnated; });
  }
  return schedule;
}

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

/// The device list of `devices` thread groups.
std::string device_list(int devices) {
  if (devices == 1) return "cpu";
  std::string list;
  for (int i = 0; i < devices; ++i) list += (i > 0 ? ",cpu:" : "cpu:") + std::to_string(i);
  return list;
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

/// Transferred elements m of equation 11's staged exchange; of kernels and reductions the sum.
double transferred_elements(const Schedule& schedule, const SegmentShape& whole, int devices) {
  double elements = 0;
  for (const Step& step : schedule.iteration) {
    if (step.kind == StepKind::exchange) {
      elements +=
          devices > 1 ? step.traffic.exchanged_per_total_unknown * whole.unknowns * devices : 0;
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
  for (const SegmentShape& segment : segments) {
    whole.unknowns += segment.unknowns;
    whole.elements += segment.elements;
    whole.blocks += segment.blocks;
    whole.block_rows += segment.block_rows;
  }
  whole.total_unknowns = whole.unknowns;
  return whole;
}

/// Runs the measurements of a plan one by one; keeps the matrix of the last one.
class PlanRunner {
 public:
  PlanRunner(const MeasurementPlan& plan, int threads, double max_matrix_bytes)
      : plan_(plan), threads_(threads), max_matrix_bytes_(max_matrix_bytes) {}

  void measure(const Measurement& measurement, std::vector<Sample>& samples) {
    if (measurement.precision == Precision::f32) {
      measure_as<float>(measurement, samples);
    } else {
      measure_as<double>(measurement, samples);
    }
  }

 private:
  Backend& backend(int devices) {
    if (!backend_ || backend_->device_count() != devices) {
      backend_ = open_backend(device_list(devices), threads_);
    }
    return *backend_;
  }

  void use_matrix(int index) {
    if (index == matrix_index_) return;
    matrix_f32_.reset();
    matrix_f64_ = plan_.matrices[static_cast<std::size_t>(index)].generate();
    features_ = compute_features(matrix_f64_->view(), threads_);
    matrix_index_ = index;
  }

  template <class T>
  CsrView<T> matrix() {
    if constexpr (std::is_same_v<T, float>) {
      if (!matrix_f32_) matrix_f32_ = convert_values<float>(matrix_f64_->view());
      return matrix_f32_->view();
    } else {
      return matrix_f64_->view();
    }
  }

  template <class T>
  void measure_as(const Measurement& measurement, std::vector<Sample>& samples) {
    const Schedule schedule = schedule_to_measure(measurement.kernel);
    std::unique_ptr<PreparedSchedule<T>> prepared;
    Sample sample;
    sample.precision = measurement.precision;
    sample.kernel = measurement.kernel;
    sample.devices = measurement.devices;
    std::int64_t unknowns = measurement.unknowns;
    if (measurement.matrix >= 0) {
      use_matrix(measurement.matrix);
      const BlockFeatures& blocks = features_.block(measurement.layout.block_size);
      if (static_cast<double>(blocks.block_elements) * sizeof(T) > max_matrix_bytes_) return;
      unknowns = features_.rows;
      sample.layout = to_string(measurement.layout);
      sample.matrix = plan_.matrices[static_cast<std::size_t>(measurement.matrix)].description;
      sample.nonzeros = static_cast<double>(features_.nonzeros);
      prepared = backend(measurement.devices).prepare(schedule, matrix<T>(), measurement.layout);
    } else {
      prepared = prepare_vectors<T>(backend(measurement.devices), schedule, unknowns);
    }
    sample.shape = whole_of(prepared->segments());
    sample.elements = transferred_elements(schedule, sample.shape, measurement.devices);
    sample.bytes = bytes_of(schedule, sample.shape, measurement.precision);

    // Any positive values will do: scalars at 0 keep the vectors where they are. They differ within
    // and between vectors, so that b - A x is not zero by accident (as it is for all ones and a
    // Laplacian plus identity).
    std::vector<T> values(static_cast<std::size_t>(unknowns));
    T first = 1;
    for (const VectorDeclaration& vector : schedule.vectors) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = first + static_cast<T>(i % 13) / 16;
      }
      prepared->set_vector(vector.name, values);
      first += T(1) / 16;
    }
    if (!schedule.setup.empty()) prepared->run_setup();

    const Timing timing = sparsecast::measure(
        [&](std::int64_t repeats) {
          const RunReport report = prepared->run(repeats);
          if (report.iterations != repeats) {
            throw Error("calibration: " + measurement_id(plan_, measurement) + " ended after " +
                        std::to_string(report.iterations) + " of " + std::to_string(repeats) +
                        " runs: " + std::string(to_string(report.outcome)));
          }
        },
        plan_.stopwatch);
    sample.seconds = timing.median_seconds;
    sample.relative_spread = timing.relative_spread;
    sample.relative_error = timing.relative_error;
    sample.repeats = timing.repeats;
    sample.rounds = static_cast<int>(timing.round_seconds.size());
    sample.stable = timing.stable;
    samples.push_back(sample);
    if (measurement.kernel == "SpMV")
      add_conversion(sample, prepared->conversion_seconds(), samples);
  }

  /// Converting happens once for a matrix, so it is timed once: no spread is known.
  static void add_conversion(Sample sample, double seconds, std::vector<Sample>& samples) {
    if (!(seconds > 0)) return;
    sample.kernel = "Convert";
    sample.elements = 0;
    sample.bytes = {};
    sample.seconds = seconds;
    sample.relative_spread = 0;
    sample.relative_error = 0;
    sample.repeats = 1;
    sample.rounds = 1;
    sample.stable = false;
    samples.push_back(std::move(sample));
  }

  const MeasurementPlan& plan_;
  int threads_;
  double max_matrix_bytes_;
  std::unique_ptr<Backend> backend_;
  int matrix_index_ = -1;
  std::optional<CsrMatrix<double>> matrix_f64_;
  std::optional<CsrMatrix<float>> matrix_f32_;
  MatrixFeatures features_;
};

std::string sample_id(const Sample& sample) {
  std::string id = std::string(to_string(sample.precision)) + ',' + sample.kernel + ',';
  if (sample.layout.empty()) {
    id += std::to_string(static_cast<std::int64_t>(sample.shape.unknowns));
  } else {
    id += sample.layout + ',' + sample.matrix;
  }
  return id + ',' + std::to_string(sample.devices);
}

}  // namespace

Schedule schedule_to_measure(const std::string& kernel) {
  if (kernel == "Iteration") return resting_iteration_schedule();
  if (kernel == "Exchange") return exchange_schedule();
  if (kernel == "Barrier") return barrier_schedule();
  if (const std::optional<Schedule> schedule = traffic_schedule(kernel)) return *schedule;
  return single_step_schedule(kernel);
}

SampleOrigin describe_cpu_origin(int threads) {
  const CpuDescription cpu = describe_cpu();
  const Environment environment = describe_environment();
  SampleOrigin origin;
  origin.device =
      cpu.name + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  origin.kind = DeviceProfile::Kind::cpu;
  origin.memory_bytes = cpu.memory_bytes;
  origin.device_count_max = 1;  // thread groups share one memory: never advised as several devices
  origin.environment = {{"operating_system", environment.operating_system},
                        {"compiler", environment.compiler},
                        {"program_version", environment.program_version},
                        {"date", environment.date},
                        {"instruction_set", cpu.instruction_set},
                        {"threads", std::to_string(threads)},
                        {"l2_bytes", std::to_string(cpu.l2_bytes)},
                        {"l3_bytes", std::to_string(cpu.l3_bytes)},
                        {"cache_state", "hot"}};
  return origin;
}

void run_plan(const MeasurementPlan& plan, int threads, SampleFile& file,
              const PlanObserver& observer, double max_matrix_bytes) {
  file.plan = plan.name;
  file.partial = true;
  std::set<std::string> measured;
  for (const Sample& sample : file.samples) measured.insert(sample_id(sample));

  PlanProgress progress;
  progress.total = static_cast<int>(plan.measurements.size());
  double estimated_left = 0;
  for (const Measurement& measurement : plan.measurements) {
    if (measured.contains(measurement_id(plan, measurement))) {
      ++progress.done;
    } else {
      estimated_left += measurement.estimated_seconds;
    }
  }

  PlanRunner runner(plan, threads, max_matrix_bytes);
  const double start = steady_seconds();
  double estimated_done = 0;
  for (const Measurement& measurement : plan.measurements) {
    const std::string id = measurement_id(plan, measurement);
    if (measured.contains(id)) continue;
    const double correction =
        estimated_done > 0 ? (steady_seconds() - start) / estimated_done : 1.0;
    progress.remaining_seconds = estimated_left * correction;
    progress.what = id;
    if (!observer(progress)) return;
    runner.measure(measurement, file.samples);
    estimated_done += measurement.estimated_seconds;
    estimated_left -= measurement.estimated_seconds;
    ++progress.done;
  }
  file.partial = false;
}

}  // namespace sparsecast
