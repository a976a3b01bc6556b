#include "cli/commands/bench/blocks/residual_history.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/base/random_stream.hpp"
#include "core/engine/linear_system.hpp"
#include "core/matrix/diagonal.hpp"

namespace sparsecast::cli {

std::vector<ResidualRecord> record_residuals(Backend& backend, const Solver& solver,
                                             const CsrMatrix<float>& matrix, const Layout& layout,
                                             std::int64_t iterations, std::int64_t step,
                                             const std::function<bool()>& goes_on) {
  const auto prepared = backend.prepare(solver.schedule, matrix.view(), layout);
  const auto rows = static_cast<std::size_t>(matrix.rows);
  std::vector<float> b(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    b[row] = static_cast<float>(0.5 + unit_interval(scramble(row + 1)));
  }
  const double b_norm = norm(std::span<const float>(b));
  prepared->set_vector(solver.slots.right_hand_side, b);
  constexpr std::array<float, 1> zero{};
  prepared->repeat_in_vector(solver.slots.solution, zero);
  const std::vector<double> d = diagonal(matrix.view());
  std::vector<float> values(rows);
  for (const SolverSlots::Diagonal& each : solver.slots.diagonals) {
    std::ranges::transform(d, values.begin(), [&](double entry) {
      return static_cast<float>(SolverSlots::of_diagonal(entry, each.value));
    });
    prepared->set_vector(each.vector, values);
  }
  // As a run of a given number of iterations: no residual is small enough.
  prepared->set_scalar("right_hand_side_norm", b_norm);
  prepared->set_scalar("residual_limit", -1);
  RunReport report = prepared->run_setup();

  std::vector<ResidualRecord> records;
  std::vector<float> x(rows);
  for (std::int64_t done = 0; done < iterations && report.outcome == Outcome::iteration_limit;) {
    if (!goes_on()) break;
    report = prepared->run(std::min(step, iterations - done));
    done += report.iterations;
    prepared->get_vector("r", values);
    prepared->get_vector(solver.slots.solution, x);
    records.push_back({done, norm(std::span<const float>(values)) / b_norm,
                       residual_norm<float>(matrix.view(), b, x) / b_norm});
  }
  return records;
}

}  // namespace sparsecast::cli
