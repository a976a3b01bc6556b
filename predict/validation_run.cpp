#include "predict/validation_run.hpp"

#include <array>
#include <cstdio>
#include <set>
#include <utility>

#include "core/cg_schedule.hpp"
#include "core/error.hpp"
#include "core/generators.hpp"
#include "core/iteration_timing.hpp"
#include "core/renumber.hpp"
#include "predict/baseline.hpp"

namespace sparsecast {

namespace {

CsrMatrix<double> renumbered(const CsrView<double>& matrix, const std::string& how) {
  constexpr std::uint64_t seed = 1;
  if (how == "random") return renumber(matrix, random_permutation(matrix.rows, seed));
  if (how == "rcm") return renumber(matrix, reverse_cuthill_mckee(matrix));
  throw Error("no renumbering '" + how + "'; expected none, random or rcm");
}

template <class T>
Timing measure_case(Backend& backend, const CsrView<T>& matrix, const Layout& layout,
                    double seconds, std::vector<SegmentShape>& segments) {
  const auto prepared = backend.prepare(algorithm1_schedule(), matrix, layout);
  segments = prepared->segments();
  StopwatchOptions options;
  options.max_seconds = seconds;
  return measure_iteration(*prepared, matrix, options);
}

}  // namespace

bool can_be_solved(const CsrView<double>& matrix, const MatrixFeatures& features,
                   Backend& backend) {
  const bool plausible = features.symmetric && features.not_finite == 0 &&
                         features.missing_diagonal == 0 && features.zero_diagonal == 0 &&
                         features.negative_diagonal == 0;
  if (!plausible) return false;
  const auto prepared = backend.prepare(algorithm1_schedule(), matrix, block_layout(1));
  return can_iterate(*prepared, matrix, 20);
}

std::string pattern_key(const CsrView<double>& matrix) {
  // FNV-1a over whole numbers.
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::uint64_t number) {
    hash ^= number;
    hash *= 1099511628211u;
  };
  add(static_cast<std::uint64_t>(matrix.columns));
  for (const std::int64_t offset : matrix.row_offsets) add(static_cast<std::uint64_t>(offset));
  for (const std::int32_t column : matrix.column_indices) add(static_cast<std::uint64_t>(column));
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

double working_set_bytes(const Schedule& schedule, std::span<const SegmentShape> segments,
                         Precision precision) {
  std::set<VectorSlot> touched;
  bool matrix = false;
  for (const Step& step : schedule.iteration) {
    if (step.guard) continue;
    touched.insert(step.vectors.begin(), step.vectors.end());
    matrix = matrix || step.traffic.values_per_element > 0;
  }
  const double value_bytes = static_cast<double>(bytes_per_value(precision));
  double bytes = 0;
  for (const SegmentShape& segment : segments) {
    for (const VectorSlot slot : touched) {
      const bool full = schedule.vectors[static_cast<std::size_t>(slot)].scope == VectorScope::full;
      bytes += value_bytes * (full ? segment.total_unknowns : segment.unknowns);
    }
    if (!matrix) continue;
    bytes += value_bytes * segment.elements + 4 * segment.blocks + 8 * (segment.block_rows + 1);
  }
  return bytes;
}

bool validate_matrix(const ValidationMatrix& input, const DeviceProfile& profile,
                     const ValidationRequest& request, const ValidationMonitor& monitor) {
  const CsrView<double> given = input.matrix;
  if (given.rows != given.columns) {
    throw Error(input.name + ": " + std::to_string(given.rows) + " rows and " +
                std::to_string(given.columns) + " columns; expected a square matrix");
  }
  if (given.rows == 0) throw Error(input.name + ": no unknowns");
  const std::string pattern = pattern_key(given);
  const bool surrogate =
      input.pattern_only || !can_be_solved(given, compute_features(given), monitor.backend(1));
  CsrMatrix<double> replaced;
  if (surrogate) replaced = spd_surrogate(given);
  const CsrView<double> solvable = surrogate ? replaced.view() : given;
  const Schedule schedule = algorithm1_schedule();

  for (const std::string& renumbering : request.renumberings) {
    CsrMatrix<double> moved;
    if (renumbering != "none") moved = renumbered(solvable, renumbering);
    const CsrView<double> matrix = renumbering != "none" ? moved.view() : solvable;
    const MatrixFeatures features = compute_features(matrix);
    for (const Precision precision : request.precisions) {
      CsrMatrix<float> matrix_f32;
      if (precision == Precision::f32) matrix_f32 = convert_values<float>(matrix);
      PredictionRequest wanted;
      wanted.blocks = request.blocks;
      wanted.devices = request.devices;
      wanted.precision = precision;
      wanted.curve = request.curve;
      for (const Prediction& prediction : predict_matrix(matrix, features, profile, wanted)) {
        const Layout layout = block_layout(prediction.block);
        const std::string what = input.name + ", " + to_string(layout) + ", " +
                                 std::to_string(prediction.devices) + " devices, " +
                                 std::string(to_string(precision));
        if (!monitor.proceed(what)) return false;
        if (!prediction.fits.value_or(true)) {
          monitor.skipped(what + ": does not fit the memory");
          continue;
        }
        Timing timing;
        std::vector<SegmentShape> segments;
        try {
          Backend& backend = monitor.backend(prediction.devices);
          timing = precision == Precision::f32
                       ? measure_case<float>(backend, matrix_f32, layout, request.seconds_per_case,
                                             segments)
                       : measure_case<double>(backend, matrix, layout, request.seconds_per_case,
                                              segments);
        } catch (const Error& error) {
          monitor.skipped(what + ": " + error.what());
          continue;
        }
        ValidationRow row;
        row.matrix = input.name;
        row.pattern = pattern;
        row.renumbering = renumbering;
        row.surrogate_values = surrogate;
        row.unknowns = matrix.rows;
        row.nonzeros = matrix.nonzeros();
        row.block_elements = features.block(prediction.block).block_elements;
        row.block = prediction.block;
        row.devices = prediction.devices;
        row.precision = precision;
        row.working_set_bytes = working_set_bytes(schedule, segments, precision);
        row.measured_seconds = timing.median_seconds;
        row.measured_spread = timing.relative_spread;
        row.measured_error = timing.relative_error;
        row.rounds = std::ssize(timing.round_seconds);
        row.predicted_seconds = prediction.seconds_per_iteration;
        row.interval_seconds = prediction.interval_seconds;
        row.baseline_seconds = baseline_seconds(schedule, segments, profile, precision);
        monitor.done(row);
      }
    }
  }
  return true;
}

}  // namespace sparsecast
