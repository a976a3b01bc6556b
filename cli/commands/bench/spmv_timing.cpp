#include "cli/commands/bench/spmv_timing.hpp"

#include <random>
#include <vector>

#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast::cli {

template <class T>
SpmvTiming time_spmv(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout,
                     double max_seconds) {
  const Schedule schedule = single_step_schedule("SpMV");
  const auto prepared = backend.prepare(schedule, matrix.view(), layout);
  std::mt19937 random(1);
  std::vector<T> input(static_cast<std::size_t>(matrix.columns));
  for (T& value : input) value = static_cast<T>(0.5 + static_cast<double>(random()) / 4294967296.0);
  const auto slot = static_cast<std::size_t>(schedule.iteration.front().vectors.front());
  prepared->set_vector(schedule.vectors[slot].name, input);
  SpmvTiming result;
  for (const SegmentShape& segment : prepared->segments()) {
    result.stored_elements += segment.elements;
  }
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = max_seconds;
  result.timing = measure([&](std::int64_t repeats) { prepared->run(repeats); }, stopwatch);
  const RunCounters counters = prepared->counters();
  const auto products = static_cast<double>(counters.iterations);
  result.bytes = counters.bytes.total() / products;
  result.matrix_bytes =
      (counters.bytes.values + counters.bytes.indices + counters.bytes.row_pointers) / products;
  return result;
}

template SpmvTiming time_spmv(Backend&, const CsrMatrix<float>&, const Layout&, double);
template SpmvTiming time_spmv(Backend&, const CsrMatrix<double>&, const Layout&, double);

std::string_view cache_state(double bytes, double cache_bytes) {
  return bytes < 0.8 * cache_bytes ? "hot" : bytes > 2 * cache_bytes ? "cold" : "mixed";
}

}  // namespace sparsecast::cli
