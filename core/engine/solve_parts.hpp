#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/prepared_blocks.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/run_in_parts.hpp"
#include "core/engine/solve_options.hpp"
#include "core/engine/solve_result.hpp"
#include "core/matrix/diagonal.hpp"
#include "core/schedule/solver.hpp"

/// @file
/// What every solve does, whatever its schedule. Internal to core.

namespace sparsecast {

/// Throws `Error` for negative numbers.
inline void require_numbers(const StopRule& rule) {
  if (rule.tolerance >= 0 && rule.max_iterations >= 0) return;
  throw Error("a stopping rule with tolerance " + std::to_string(rule.tolerance) + " and " +
              std::to_string(rule.max_iterations) + " iterations; expected 0 or more");
}

/// Throws `Error` where residuals are to be recorded and the solver keeps none.
inline void require_record(const SolveOptions& options, const Solver& solver) {
  if (!options.record || !solver.slots.residual_norm.empty()) return;
  throw Error("solver " + solver.name() + " keeps no norm of the residual to record");
}

/// Whether a solve ends before anything is prepared: at values that are not finite, or with x = 0
/// for b = 0. Sets the result's rule and norm of b.
template <class T>
bool ends_at_once(const CsrView<T>& matrix, std::span<const T> b, std::span<T> x,
                  const SolveOptions& options, SolveResult& result) {
  const StopRule& rule = options.stop;
  const RankPart* part = options.part;
  result.rule = rule.kind;
  result.tolerance = rule.tolerance;
  result.right_hand_side_norm = norm(b, part);
  if (!all_finite(matrix.values, part) || !all_finite(b, part) ||
      !all_finite(std::span<const T>(x), part)) {
    result.outcome = Outcome::not_finite;
    result.residual_norm = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (result.right_hand_side_norm == 0) {
    std::ranges::fill(x, T{0});
    result.outcome = Outcome::converged;
    return true;
  }
  return false;
}

/// Adds the seconds from its making to its end.
class AddedSeconds {
 public:
  explicit AddedSeconds(double& seconds) : seconds_(seconds), begin_(steady_seconds()) {}
  ~AddedSeconds() { seconds_ += steady_seconds() - begin_; }
  AddedSeconds(const AddedSeconds&) = delete;
  AddedSeconds& operator=(const AddedSeconds&) = delete;

 private:
  double& seconds_;
  double begin_;
};

/// Gives a prepared schedule what it needs of the matrix's diagonal. What that took is added to the
/// result.
template <class T>
void set_diagonals(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                   const std::vector<double>& diagonal, SolveResult& result) {
  std::vector<T> values;
  for (const SolverSlots::Diagonal& each : slots.diagonals) {
    {
      const AddedSeconds making(result.preconditioner_seconds);
      values.resize(diagonal.size());
      std::ranges::transform(diagonal, values.begin(), [&](double d) {
        return static_cast<T>(SolverSlots::of_diagonal(d, each.value));
      });
    }
    const AddedSeconds sending(result.upload_seconds);
    prepared.set_vector(each.vector, values);
  }
}

/// The same of its inverse diagonal blocks. Throws like `inverse_blocks`.
template <class T>
void set_inverse_blocks(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                        const CsrView<T>& matrix, SolveResult& result,
                        const RankPart* part = nullptr) {
  for (const SolverSlots::InverseBlocks& each : slots.inverse_blocks) {
    const auto inverse = [&] {
      const AddedSeconds making(result.preconditioner_seconds);
      return inverse_blocks_on_devices(prepared, each, matrix, part);
    }();
    const AddedSeconds sending(result.upload_seconds);
    for (std::size_t k = 0; k < inverse.size(); ++k) {
      prepared.set_vector(each.vectors[k], inverse[k]);
    }
  }
}

/// The same of b and the start value, whose halos a schedule takes to be there.
template <class T>
void set_system(PreparedSchedule<T>& prepared, const SolverSlots& slots, std::span<const T> b,
                std::span<const T> start, SolveResult& result, const RankPart* part) {
  const AddedSeconds sending(result.upload_seconds);
  if (part == nullptr) {
    prepared.set_vector(slots.right_hand_side, b);
    prepared.set_vector(slots.solution, start);
  } else {
    prepared.set_vector(slots.right_hand_side, with_halo(b, part));
    prepared.set_vector(slots.solution, with_halo(start, part));
  }
}

/// The matrix's diagonal.
template <class T>
std::vector<double> timed_diagonal(const CsrView<T>& matrix, SolveResult& result) {
  const AddedSeconds making(result.preconditioner_seconds);
  return diagonal(matrix);
}

/// Runs the setup steps.
template <class T>
RunReport run_setup(PreparedSchedule<T>& prepared, SolveResult& result) {
  const AddedSeconds running(result.start_seconds);
  return prepared.run_setup();
}

/// Of ranks: the longest time, and the bytes of all devices of all ranks, in their order.
template <class T>
void note_preparation(const PreparedSchedule<T>& prepared, const RankPart* part,
                      SolveResult& result) {
  result.conversion_seconds = prepared.conversion_seconds();
  result.upload_seconds += prepared.upload_seconds();
  result.bytes_per_device = prepared.bytes_per_device();
  result.segments = prepared.segments();
  if (part == nullptr) return;
  result.conversion_seconds = part->ranks->maximum(result.conversion_seconds);
  result.upload_seconds = part->ranks->maximum(result.upload_seconds);
  const Buffer<std::int64_t> mine(result.bytes_per_device.begin(), result.bytes_per_device.end());
  result.bytes_per_device.clear();
  const std::vector<Buffer<std::int64_t>> lists(static_cast<std::size_t>(part->ranks->size()),
                                                mine);
  for (const Buffer<std::int64_t>& theirs : exchange_lists(*part->ranks, lists)) {
    result.bytes_per_device.insert(result.bytes_per_device.end(), theirs.begin(), theirs.end());
  }
}

/// The rows of the whole system.
template <class T>
std::int64_t unknowns_of(const CsrView<T>& matrix, const RankPart* part) {
  return part != nullptr ? part->unknowns() : matrix.rows;
}

inline std::int64_t iteration_limit(const StopRule& rule, std::int64_t rows) {
  return rule.max_iterations > 0 ? rule.max_iterations : std::max<std::int64_t>(1000, 10 * rows);
}

/// The norm of the residual by the solver's own recurrence; none where it keeps none.
template <class T>
std::optional<double> recurrence_norm(const PreparedSchedule<T>& prepared,
                                      const SolverSlots& slots) {
  if (slots.residual_norm.empty()) return std::nullopt;
  const double value = prepared.scalar(slots.residual_norm);
  return slots.residual_norm_is_square ? std::sqrt(value) : value;
}

/// `run_in_parts`, one iteration a part where somebody records their residuals; with iterations and
/// their time in the result.
template <class T>
RunReport run_iterations(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                         std::int64_t limit, const SolveOptions& options,
                         const std::function<double(std::int64_t)>& fraction, SolveResult& result) {
  RunReport report;
  const AddedSeconds running(result.iteration_seconds);
  if (options.record) {
    report = run_in_steps(prepared, limit, options.keep_going, fraction, [&](std::int64_t done) {
      options.record(done, *recurrence_norm(prepared, slots));
    });
  } else {
    report = run_in_parts(prepared, limit, options.keep_going, fraction,
                          options.part != nullptr ? options.part->ranks : nullptr);
  }
  result.iterations = report.iterations;
  result.interrupted = report.outcome == Outcome::iteration_limit && report.iterations < limit;
  return report;
}

/// x becomes the schedule's solution, unless that is not finite; and the norms of the residual.
template <class T>
void take_solution(const PreparedSchedule<T>& prepared, const SolverSlots& slots,
                   const CsrView<T>& matrix, std::span<const T> b, std::span<T> x,
                   const RankPart* part, SolveResult& result) {
  std::vector<T> solution(x.begin(), x.end());
  prepared.get_vector(slots.solution, solution);
  result.recurrence_norm = recurrence_norm(prepared, slots);
  if (!slots.cycle_steps.empty() && result.iterations > 0) {
    result.cycle_steps = std::llround(prepared.scalar(slots.cycle_steps));
  }
  if (all_finite(std::span<const T>(solution), part)) std::ranges::copy(solution, x.begin());
  result.residual_norm = residual_norm(matrix, b, std::span<const T>(x), part);
}

/// Whether the residual at the end is at most twice what a rule asks.
inline bool holds_at_the_end(const StopRule& rule, const SolveResult& result) {
  switch (rule.kind) {
    case StopRule::Kind::relative:
      return result.residual_norm <= 2 * rule.tolerance * result.right_hand_side_norm;
    case StopRule::Kind::preconditioned:
      return result.preconditioned_norm.value() <=
             2 * rule.tolerance * result.first_preconditioned_norm.value();
    case StopRule::Kind::absolute:
    case StopRule::Kind::fixed_iterations:
      break;
  }
  return true;
}

/// The recursion for r may fall on when rounding has long stopped b - A x from following.
inline void check_convergence(const StopRule& rule, SolveResult& result) {
  if (result.outcome == Outcome::converged && !holds_at_the_end(rule, result)) {
    result.outcome = Outcome::stagnated;
  }
}

}  // namespace sparsecast
