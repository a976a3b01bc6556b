#include "predict/validation_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "core/cg_schedule.hpp"
#include "core/error.hpp"
#include "core/generators.hpp"
#include "core/renumber.hpp"
#include "predict/baseline.hpp"

namespace sparsecast {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
std::vector<T> diagonal_of(const CsrView<T>& matrix) {
  std::vector<T> diagonal(static_cast<std::size_t>(matrix.rows), T(0));
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    const auto begin = matrix.column_indices.begin() + matrix.row_offsets[row];
    const auto end = matrix.column_indices.begin() + matrix.row_offsets[row + 1];
    const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
    if (found != end && *found == static_cast<std::int32_t>(row)) {
      diagonal[row] =
          matrix.values[static_cast<std::size_t>(found - matrix.column_indices.begin())];
    }
  }
  return diagonal;
}

/// Algorithm 1 on a prepared matrix, from x = 0, as often as wanted.
template <class T>
class RepeatedSolve {
 public:
  RepeatedSolve(PreparedSchedule<T>& prepared, const CsrView<T>& matrix)
      : prepared_(prepared), zeros_(static_cast<std::size_t>(matrix.rows), T(0)) {
    std::vector<T> c = diagonal_of(matrix);
    for (T& value : c) value = T(1) / std::sqrt(value);
    prepared_.set_vector("c", c);
    // Neither constant nor smooth, or CG would be done in a few iterations on some matrices.
    std::vector<T> b(zeros_.size());
    std::uint32_t state = 12345;
    for (T& value : b) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<T>(0.5 + static_cast<double>(state >> 8) / (1u << 24));
    }
    prepared_.set_vector("b", b);
  }

  void restart() {
    prepared_.set_vector("x", zeros_);
    prepared_.run_setup();
    start_ = prepared_.scalar("alpha");
  }

  /// Far enough from rounding that no value is near the smallest ones of T.
  bool worn_out() const {
    const double floor = sizeof(T) == 4 ? 1e-12 : 1e-24;
    return !(prepared_.scalar("beta") > floor * start_);
  }

  RunReport run(std::int64_t iterations) { return prepared_.run(iterations); }

 private:
  PreparedSchedule<T>& prepared_;
  std::vector<T> zeros_;
  double start_ = 0;
};

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

template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const CsrView<T>& matrix,
                         const StopwatchOptions& options) {
  RepeatedSolve<T> solve(prepared, matrix);
  const Clock::time_point start = Clock::now();

  // Warm up one iteration at a time, and learn how many can be run before a restart.
  constexpr std::int64_t most = 1000;
  solve.restart();
  std::int64_t possible = 0;
  double fastest = 0;
  while (possible < most) {
    const Clock::time_point begin = Clock::now();
    const RunReport report = solve.run(1);
    const double seconds = seconds_since(begin);
    if (report.iterations < 1 || report.outcome != Outcome::iteration_limit) break;
    ++possible;
    fastest = possible == 1 ? seconds : std::min(fastest, seconds);
    if (solve.worn_out() || seconds_since(start) > options.max_seconds / 10) break;
  }
  if (possible == 0) throw Error("conjugate gradients end before the first iteration");

  const double wanted = std::ceil(options.min_round_seconds / std::max(fastest, 1e-9));
  const auto repeats =
      std::min(possible, static_cast<std::int64_t>(std::min(wanted, static_cast<double>(most))));
  solve.restart();
  solve.run(1);
  std::vector<double> rounds;
  while (true) {
    const Clock::time_point begin = Clock::now();
    const RunReport report = solve.run(repeats);
    const double seconds = seconds_since(begin);
    const bool whole = report.iterations == repeats && report.outcome == Outcome::iteration_limit;
    if (whole) rounds.push_back(seconds / static_cast<double>(repeats));
    if (!whole || solve.worn_out()) {
      solve.restart();
      // The first iteration after a restart finds other data in the caches.
      if (possible > repeats) solve.run(1);
    }
    const double passed = seconds_since(start);
    if (rounds.empty() && passed > 20 * options.max_seconds) {
      throw Error("conjugate gradients end within every round of " + std::to_string(repeats) +
                  " iterations");
    }
    if (std::ssize(rounds) < options.min_rounds && passed < 20 * options.max_seconds) continue;
    const bool late = passed > options.max_seconds;
    if (late || std::ssize(rounds) >= options.max_rounds) break;
    if (summarize(rounds, repeats, options.target_relative_error).stable) break;
  }
  return summarize(std::move(rounds), repeats, options.target_relative_error);
}

template Timing measure_iteration(PreparedSchedule<float>&, const CsrView<float>&,
                                  const StopwatchOptions&);
template Timing measure_iteration(PreparedSchedule<double>&, const CsrView<double>&,
                                  const StopwatchOptions&);

bool can_be_solved(const CsrView<double>& matrix, const MatrixFeatures& features,
                   Backend& backend) {
  const bool plausible = features.symmetric && features.not_finite == 0 &&
                         features.missing_diagonal == 0 && features.zero_diagonal == 0 &&
                         features.negative_diagonal == 0;
  if (!plausible) return false;
  const auto prepared = backend.prepare(algorithm1_schedule(), matrix, block_layout(1));
  RepeatedSolve<double> solve(*prepared, matrix);
  solve.restart();
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Outcome outcome = solve.run(1).outcome;
    if (outcome == Outcome::not_positive_definite || outcome == Outcome::not_finite) return false;
    if (solve.worn_out()) return true;
  }
  return true;
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
