#include "cli/commands/bench/solver_timing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/engine/iteration_timing.hpp"

namespace sparsecast::cli {
namespace {

/// Of a prepared solver that has been measured.
template <class T>
void count_iterations(PreparedSchedule<T>& prepared, const SolverSlots& slots,
                      SolverTiming& result) {
  constexpr std::int64_t wanted = 16;
  constexpr std::array<T, 1> zero{};
  prepared.repeat_in_vector(slots.solution, zero);
  prepared.run_setup();
  const RunCounters before = prepared.counters();
  const RunReport report = prepared.run(wanted);
  const RunCounters after = prepared.counters();
  const double iterations = static_cast<double>(std::max<std::int64_t>(report.iterations, 1));
  result.bytes = (after.bytes.total() - before.bytes.total()) / iterations;
  result.stored_elements =
      (after.bytes.values - before.bytes.values) / iterations / static_cast<double>(sizeof(T));
  result.launches =
      static_cast<double>(after.submitted_launches - before.submitted_launches) / iterations;
  result.host_waits = static_cast<double>(after.host_waits - before.host_waits) / iterations;
}

}  // namespace

template <class T>
SolverTiming time_solver(Backend& backend, const Solver& solver, const CsrMatrix<T>& matrix,
                         const Layout& layout, double max_seconds, const RankPart* part) {
  const auto prepared = backend.prepare(solver.schedule, matrix.view(), layout);
  SolverTiming result;
  for (const std::int64_t bytes : prepared->bytes_per_device()) {
    result.working_set += static_cast<double>(bytes);
  }
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = max_seconds;
  result.timing = measure_iteration(*prepared, solver.slots, matrix.view(), stopwatch, part);
  count_iterations(*prepared, solver.slots, result);
  if (part != nullptr) {
    for (double* each : {&result.stored_elements, &result.bytes, &result.working_set,
                         &result.launches, &result.host_waits}) {
      *each = part->ranks->sum(*each);
    }
  }
  return result;
}

template SolverTiming time_solver(Backend&, const Solver&, const CsrMatrix<float>&, const Layout&,
                                  double, const RankPart*);
template SolverTiming time_solver(Backend&, const Solver&, const CsrMatrix<double>&, const Layout&,
                                  double, const RankPart*);

}  // namespace sparsecast::cli
