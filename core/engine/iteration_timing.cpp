#include "core/engine/iteration_timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/prepared_blocks.hpp"
#include "core/matrix/diagonal.hpp"

namespace sparsecast {
namespace {

using Clock = std::function<double()>;

/// Iterations between two looks of the host at a GPU's progress, and in one of its graphs
/// (`CudaPolicy`), at most: fewer where an iteration has many launches.
constexpr std::int64_t poll = 16;
constexpr std::int64_t graph = 8;
constexpr std::int64_t rows_per_thread = 10'000;
/// A run of whole polls, or of whole graphs, may take so much longer than was asked for.
constexpr double longer_for_polls = 2;
constexpr double longer_for_graphs = 5;
/// Of the shortest run, that is not its iterations.
constexpr double most_in_common = 0.95;

/// A solve from x = 0, as often as wanted. With a part: of the system that ranks share, whose
/// values are those of one process.
template <class T>
class RepeatedSolve {
 public:
  RepeatedSolve(PreparedSchedule<T>& prepared, const SolverSlots& slots, const CsrView<T>& matrix,
                const Clock& clock, const RankPart* part = nullptr)
      : prepared_(prepared),
        slots_(slots),
        clock_(clock),
        part_(part),
        rows_before_(part != nullptr ? part->rows.begin(part->ranks->rank()) - part->own.begin_row
                                     : 0) {
    const auto rows = static_cast<std::size_t>(matrix.rows);
    std::vector<T> values(rows);
    for_each_row(matrix.rows, [&](std::size_t row, std::int64_t whole_row) {
      // Neither constant nor smooth.
      values[row] = static_cast<T>(0.5 + unit_interval(bits_of(whole_row)));
    });
    prepared_.set_vector(slots.right_hand_side, with_halo<T>(values, part));
    for (const SolverSlots::InverseBlocks& each : slots.inverse_blocks) set_blocks(each, matrix);
    if (slots.diagonals.empty()) return;
    const std::vector<double> d = diagonal(matrix);
    for (const SolverSlots::Diagonal& each : slots.diagonals) {
      for_each_row(matrix.rows, [&](std::size_t row, std::int64_t whole_row) {
        // By 2^-4 to 2^4.
        const int power = static_cast<int>(bits_of(whole_row) % 9) - 4;
        values[row] =
            static_cast<T>(std::ldexp(SolverSlots::of_diagonal(d[row], each.value), power));
      });
      prepared_.set_vector(each.vector, values);
    }
  }

  /// Values of rows i and j of a block by 2^-2 to 2^2 each, so that they stay symmetric and
  /// definite where they are.
  void set_blocks(const SolverSlots::InverseBlocks& blocks, const CsrView<T>& matrix) {
    const auto power = [](std::int64_t row) { return static_cast<int>(bits_of(row) % 5) - 2; };
    auto inverse = inverse_blocks_on_devices(prepared_, blocks, matrix, part_);
    const auto size = std::ssize(inverse);
    for (std::int64_t k = 0; k < size; ++k) {
      std::vector<T>& column = inverse[static_cast<std::size_t>(k)];
      for_each_row(matrix.rows, [&](std::size_t row, std::int64_t whole_row) {
        column[row] =
            std::ldexp(column[row], power(whole_row) + power(whole_row / size * size + k));
      });
      prepared_.set_vector(blocks.vectors[static_cast<std::size_t>(k)], column);
    }
  }

  void restart() {
    constexpr std::array<T, 1> zero{};
    prepared_.repeat_in_vector(slots_.solution, zero);
    prepared_.run_setup();
    start_ = residual();
    done_ = 0;
  }

  /// So many iterations; false if the solve has ended before.
  bool run(std::int64_t iterations) {
    const double begin = clock_();
    const RunReport report = prepared_.run(iterations);
    seconds_ = clock_() - begin;
    done_ += iterations;
    outcome_ = report.outcome;
    return report.iterations == iterations && report.outcome == Outcome::iteration_limit;
  }

  /// Far enough from rounding that no square of a value is near the smallest numbers of T.
  bool worn_out() const {
    if (slots_.residual.empty()) return false;
    const double floor = sizeof(T) == 4 ? 1e-20 : 1e-60;
    return !(residual() > floor * start_);
  }

  double seconds() const { return seconds_; }   ///< of the last run
  Outcome outcome() const { return outcome_; }  ///< of the last run
  std::int64_t done() const { return done_; }   ///< since the restart

 private:
  /// Of a row of the whole matrix.
  static std::uint64_t bits_of(std::int64_t whole_row) {
    return scramble(static_cast<std::uint64_t>(whole_row) + 1);
  }

  /// With the row of the whole matrix; of a halo, whose values do not matter, with any number.
  template <class Body>
  void for_each_row(std::int64_t rows, const Body& body) const {
    parallel_for(rows, rows_per_thread, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        body(static_cast<std::size_t>(row), row + rows_before_);
      }
    });
  }

  /// Square of a norm.
  double residual() const {
    if (slots_.residual.empty()) return 0;
    const double value = prepared_.scalar(slots_.residual);
    return slots_.residual_is_square ? value : value * value;
  }

  PreparedSchedule<T>& prepared_;
  const SolverSlots slots_;
  const Clock& clock_;
  const RankPart* part_;
  const std::int64_t rows_before_;  ///< of the whole matrix, in front of row 0
  double start_ = 0;
  double seconds_ = 0;
  std::int64_t done_ = 0;
  Outcome outcome_ = Outcome::iteration_limit;
};

/// What first runs have taught.
struct Pace {
  std::int64_t possible = 0;  ///< iterations from a restart on, at least
  double seconds = 0;         ///< of an iteration, roughly
};

/// Iterations of a run that takes as long as wanted.
std::int64_t wanted_iterations(double iteration_seconds, const StopwatchOptions& options) {
  const double wanted = options.min_round_seconds;
  const auto multiple = [&](std::int64_t of) {
    const double seconds = std::max(static_cast<double>(of) * iteration_seconds, 1e-9);
    return of * static_cast<std::int64_t>(std::clamp(std::ceil(wanted / seconds), 1.0, 1e6));
  };
  if (poll * iteration_seconds <= longer_for_polls * wanted) return multiple(poll);
  if (graph * iteration_seconds <= longer_for_graphs * wanted) return multiple(graph);
  return multiple(1);
}

/// Runs more and more iterations, which also warms up, until there is room for a round or the solve
/// comes to an end.
template <class T>
Pace learn_pace(RepeatedSolve<T>& solve, const StopwatchOptions& options) {
  Pace pace;
  solve.restart();
  while (true) {
    const std::int64_t count = std::max<std::int64_t>(1, pace.possible);
    if (!solve.run(count)) {
      // It ended somewhere in this run, or at once.
      if (count == 1) return pace;
      solve.restart();
      pace.possible = 0;
      while (solve.run(1) && !solve.worn_out()) ++pace.possible;
      return pace;
    }
    pace.possible += count;
    pace.seconds = solve.seconds() / static_cast<double>(count);
    if (solve.worn_out()) return pace;
    if (pace.possible > 2 * wanted_iterations(pace.seconds, options)) return pace;
  }
}

/// Iterations of a run, of which a round has one of so many and one of twice as many; 0 if there is
/// no room for both.
std::int64_t iterations_of_run(const Pace& pace, const StopwatchOptions& options) {
  const std::int64_t wanted = wanted_iterations(pace.seconds, options);
  // One iteration after a restart finds other data in the caches and is left out.
  const std::int64_t most = (pace.possible - 1) / 2;
  if (wanted <= most) return wanted;
  const std::int64_t whole = most >= poll ? poll : most >= graph ? graph : 1;
  return most / whole * whole;
}

/// Rounds of a run of n and a run of 2 n iterations.
struct Rounds {
  std::vector<double> single;  ///< seconds of n iterations
  std::vector<double> twice;   ///< of 2 n; empty where only n fit

  /// Seconds of an iteration in each round, without what every run costs besides.
  Timing timing(std::int64_t n, double target_relative_error) const {
    std::vector<double> seconds = single;
    double common = 0;
    if (!twice.empty()) {
      for (std::size_t i = 0; i < single.size(); ++i) seconds[i] = 2 * single[i] - twice[i];
      const double median = summarize(seconds, n, 0).median_seconds;
      // On a busy machine the median may be anything, and time that is taken off wrongly makes an
      // iteration too fast: no more is common than the fastest runs say, and what is left is a
      // time.
      const double fastest_single = *std::ranges::min_element(single);
      const double fastest_twice = *std::ranges::min_element(twice);
      common = std::clamp(std::min(median, 2 * fastest_single - fastest_twice), 0.0,
                          most_in_common * std::min(fastest_single, fastest_twice));
    }
    const double iterations = static_cast<double>(twice.empty() ? n : 3 * n);
    for (std::size_t i = 0; i < single.size(); ++i) {
      const double both = twice.empty() ? single[i] : single[i] + twice[i] - 2 * common;
      seconds[i] = both / iterations;
    }
    return summarize(std::move(seconds), n, target_relative_error);
  }
};

template <class T>
Timing measure_repeated(RepeatedSolve<T>& solve, const StopwatchOptions& options,
                        const Clock& clock_seconds) {
  const Pace pace = learn_pace(solve, options);
  if (pace.possible == 0) {
    throw Error("the solver ends in its first iteration: " +
                std::string(to_string(solve.outcome())));
  }
  const std::int64_t slope = iterations_of_run(pace, options);
  const std::int64_t n = slope > 0 ? slope : pace.possible;
  const std::int64_t round = slope > 0 ? 3 * n : n;

  const double start = clock_seconds();
  Rounds rounds;
  const auto restart = [&] {
    solve.restart();
    return slope == 0 || solve.run(1);
  };
  const auto run = [&](std::int64_t count) {
    const bool fits = solve.done() + count <= pace.possible && !solve.worn_out();
    return (fits || restart()) && solve.run(count);
  };
  bool going = restart();
  while (true) {
    if (!going) going = restart();
    going = going && run(n);
    const double single = solve.seconds();
    if (going && slope > 0) going = run(2 * n);
    if (going) {
      rounds.single.push_back(single);
      if (slope > 0) rounds.twice.push_back(solve.seconds());
    }
    const double passed = clock_seconds() - start;
    const auto taken = static_cast<int>(rounds.single.size());
    if (taken == 0 && passed > 20 * options.max_seconds) {
      throw Error("the solver ends within every round of " + std::to_string(round) + " iterations");
    }
    if (taken < options.min_rounds && passed < 20 * options.max_seconds) continue;
    Timing timing = rounds.timing(n, options.target_relative_error);
    if (timing.stable || taken >= options.max_rounds || passed > options.max_seconds) return timing;
  }
}

}  // namespace

template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         const CsrView<T>& matrix, const StopwatchOptions& options) {
  return measure_iteration(prepared, slots, matrix, options, steady_seconds);
}

template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         const CsrView<T>& matrix, const StopwatchOptions& options,
                         const Clock& clock_seconds) {
  RepeatedSolve<T> solve(prepared, slots, matrix, clock_seconds);
  return measure_repeated(solve, options, clock_seconds);
}

template <class T>
Timing measure_iteration(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         const CsrView<T>& matrix, const StopwatchOptions& options,
                         const RankPart* part) {
  if (part == nullptr) return measure_iteration(prepared, slots, matrix, options);
  const Clock clock = [part] { return part->ranks->maximum(steady_seconds()); };
  RepeatedSolve<T> solve(prepared, slots, matrix, clock, part);
  return measure_repeated(solve, options, clock);
}

template <class T>
bool can_iterate(PreparedSchedule<T>& prepared, const SolverSlots& slots, const CsrView<T>& matrix,
                 std::int64_t iterations) {
  const Clock clock = steady_seconds;
  RepeatedSolve<T> solve(prepared, slots, matrix, clock);
  solve.restart();
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (!solve.run(1)) {
      return solve.outcome() == Outcome::converged || solve.outcome() == Outcome::stagnated;
    }
    if (solve.worn_out()) return true;
  }
  return true;
}

template Timing measure_iteration(PreparedSchedule<float>&, const SolverSlots&,
                                  const CsrView<float>&, const StopwatchOptions&);
template Timing measure_iteration(PreparedSchedule<double>&, const SolverSlots&,
                                  const CsrView<double>&, const StopwatchOptions&);
template Timing measure_iteration(PreparedSchedule<float>&, const SolverSlots&,
                                  const CsrView<float>&, const StopwatchOptions&, const Clock&);
template Timing measure_iteration(PreparedSchedule<double>&, const SolverSlots&,
                                  const CsrView<double>&, const StopwatchOptions&, const Clock&);
template Timing measure_iteration(PreparedSchedule<float>&, const SolverSlots&,
                                  const CsrView<float>&, const StopwatchOptions&, const RankPart*);
template Timing measure_iteration(PreparedSchedule<double>&, const SolverSlots&,
                                  const CsrView<double>&, const StopwatchOptions&, const RankPart*);
template bool can_iterate(PreparedSchedule<float>&, const SolverSlots&, const CsrView<float>&,
                          std::int64_t);
template bool can_iterate(PreparedSchedule<double>&, const SolverSlots&, const CsrView<double>&,
                          std::int64_t);

}  // namespace sparsecast
