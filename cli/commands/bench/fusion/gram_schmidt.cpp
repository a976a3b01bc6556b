#include "cli/commands/bench/fusion/gram_schmidt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/pass_step.hpp"

namespace sparsecast::cli {
namespace {

static_assert(most_basis_vectors <= most_block_vectors);

/// w is vector 0, v_i is vector 1 + i, and h_i = <v_i, w> scalar i.
Schedule with_basis(int basis) {
  Schedule schedule;
  schedule.name = "gram-schmidt";
  schedule.vectors = {{"w"}};
  for (int i = 0; i < basis; ++i) {
    schedule.vectors.push_back({"v" + std::to_string(i)});
    schedule.scalars.push_back({"h" + std::to_string(i)});
  }
  return schedule;
}

/// w and the vectors `first` to `end` - 1 of the basis.
std::vector<VectorSlot> operands(int first, int end) {
  std::vector<VectorSlot> slots{0};
  for (int i = first; i < end; ++i) slots.push_back(1 + i);
  return slots;
}

Step dots_step(int first, int end) {
  VectorPass pass;
  for (int i = first; i < end; ++i) pass.statements.push_back({-1, {}, 1 + i - first, 0});
  std::vector<ScalarSlot> sums(static_cast<std::size_t>(end - first));
  std::iota(sums.begin(), sums.end(), first);
  return pass_step(std::move(pass), operands(first, end), std::move(sums));
}

/// w -= sum(i, h_i v_i)
Step subtract_step(int first, int end) {
  PassStatement statement{0, {{1, -1, 0}}, -1, -1};
  for (int i = first; i < end; ++i) statement.terms.push_back({-1, i, 1 + i - first});
  return pass_step({{std::move(statement)}}, operands(first, end));
}

template <class MakeStep>
void add_steps(Schedule& schedule, int basis, int vectors_per_pass, const MakeStep& make_step) {
  for (int first = 0; first < basis; first += vectors_per_pass) {
    schedule.iteration.push_back(make_step(first, std::min(basis, first + vectors_per_pass)));
  }
}

}  // namespace

Schedule dots_schedule(int basis, int dots_per_pass) {
  Schedule schedule = with_basis(basis);
  add_steps(schedule, basis, dots_per_pass, dots_step);
  return schedule;
}

Schedule gram_schmidt_schedule(int basis, bool fused) {
  const int vectors_per_pass = fused ? basis : 1;
  Schedule schedule = dots_schedule(basis, vectors_per_pass);
  add_steps(schedule, basis, vectors_per_pass, subtract_step);
  return schedule;
}

template <class T>
Timing time_on_vectors(Backend& backend, const Schedule& schedule, double max_seconds,
                       FusionMeasurement& m) {
  const auto prepared = [&] {
    if constexpr (std::is_same_v<T, float>) return backend.prepare_vectors_f32(schedule, m.rows);
    if constexpr (std::is_same_v<T, double>) return backend.prepare_vectors_f64(schedule, m.rows);
  }();
  // No vectors of a basis that are as short together make w grow, however often they are taken off.
  const double norm = 1 / std::sqrt(static_cast<double>(most_basis_vectors));
  const auto value = static_cast<T>(norm / std::sqrt(static_cast<double>(m.rows)));
  for (const VectorDeclaration& vector : schedule.vectors) {
    prepared->repeat_in_vector(vector.name, std::array<T, 2>{value, -value});
  }
  prepared->repeat_in_vector("w", std::array<T, 3>{1, T{1} / 2, T{1} / 4});
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = max_seconds;
  const Timing timing =
      measure_repeats_alone([&](std::int64_t repeats) { prepared->run(repeats); }, stopwatch);
  if (!(timing.median_seconds > 0)) throw Error("too short to be told from what disturbs it");
  const RunCounters counters = prepared->counters();
  const auto iterations = static_cast<double>(counters.iterations);
  m.counted = iteration_counts(schedule);
  m.launches = std::round(static_cast<double>(counters.submitted_launches) / iterations);
  m.host_waits = std::round(static_cast<double>(counters.host_waits) / iterations);
  m.bytes = counters.bytes.total() / iterations;
  return timing;
}

template Timing time_on_vectors<float>(Backend&, const Schedule&, double, FusionMeasurement&);
template Timing time_on_vectors<double>(Backend&, const Schedule&, double, FusionMeasurement&);

}  // namespace sparsecast::cli
