#include "predict/validation/summary/solution_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "predict/validation/summary/error_summary.hpp"
#include "predict/validation/summary/statistics.hpp"

namespace sparsecast {

namespace {

using Rows = std::vector<ValidationRow>;

bool is_forecast(const ValidationRow& row) {
  return row.solution->predicted && converged(*row.solution);
}

double error_of(const ValidationRow& row) {
  return time_error(row.solution->predicted->total(), row.solution->measured.total());
}

SolutionLine line_of(std::string label, const Rows& rows) {
  SolutionLine line;
  line.label = std::move(label);
  line.cases = rows.size();
  std::vector<double> errors;
  std::vector<double> counts;
  std::vector<double> iterations;
  std::vector<double> rests;
  double within = 0;
  double intervals = 0;
  double holding = 0;
  for (const ValidationRow& row : rows) {
    const SolutionCase& one = *row.solution;
    const double measured = one.measured.total();
    errors.push_back(error_of(row));
    if (errors.back() <= 0.1) ++within;
    counts.push_back(time_error(one.count.expected(), one.amount));
    iterations.push_back(time_error(row.predicted_seconds, row.measured_seconds));
    const double rest = measured - one.measured.iterations;
    rests.push_back(std::abs(one.predicted->total() - one.predicted->iterations - rest) / measured);
    if (!one.interval) continue;
    ++intervals;
    if (one.interval->low <= measured && measured <= one.interval->high) ++holding;
  }
  line.mean = mean(errors);
  line.median = quantile(errors, 0.5);
  line.p95 = quantile(errors, 0.95);
  line.worst = std::ranges::max(errors);
  line.within_tenth = within / static_cast<double>(rows.size());
  if (intervals > 0) line.coverage = holding / intervals;
  line.count_error = quantile(counts, 0.5);
  line.iteration_error = quantile(iterations, 0.5);
  line.rest_error = quantile(rests, 0.5);
  return line;
}

/// Of each matrix and precision what is chosen by the forecast total, by the measured one.
RegretSummary regret_of(const Rows& rows) {
  Rows totals;
  for (ValidationRow row : rows) {
    row.predicted_seconds = row.solution->predicted->total();
    row.measured_seconds = row.solution->measured.total();
    row.renumbering += ' ' + std::string(to_string(row.precision));
    totals.push_back(std::move(row));
  }
  return summarize_regret(totals);
}

}  // namespace

std::optional<SolutionSummary> summarize_solutions(std::span<const ValidationRow> all) {
  const Rows rows = select(all, [](const ValidationRow& row) { return row.solution.has_value(); });
  if (rows.empty()) return std::nullopt;
  SolutionSummary summary;
  summary.cases = rows.size();
  std::vector<double> call_rests;
  for (const ValidationRow& row : rows) {
    const SolutionCase& one = *row.solution;
    if (!one.count.solves()) {
      ++(converged(one) ? summary.failed_count : summary.failed_both);
    } else if (!converged(one)) {
      ++summary.failed_solve;
    } else if (!one.predicted) {
      ++summary.without_forecast;
    } else {
      ++(one.count.is_stable() ? summary.stable : summary.unstable);
    }
    const double total = one.measured.total();
    if (total > 0) call_rests.push_back(one.call_seconds / total - 1);
  }
  if (!call_rests.empty()) summary.call_rest = quantile(call_rests, 0.5);

  const Rows forecast = select(rows, is_forecast);
  const auto is_stable = [](const ValidationRow& row) { return row.solution->count.is_stable(); };
  const Rows stable = select(forecast, is_stable);
  const Rows unstable = select(forecast, [&](const ValidationRow& row) { return !is_stable(row); });
  if (!stable.empty()) summary.lines.push_back(line_of("all stable counts", stable));
  if (!unstable.empty()) summary.lines.push_back(line_of("unstable counts", unstable));
  std::map<std::string, Rows> by_solver;
  for (const ValidationRow& row : stable) {
    by_solver[solver_text(row)].push_back(row);
  }
  for (const auto& [solver, its_rows] : by_solver) {
    summary.lines.push_back(line_of(solver, its_rows));
  }
  summary.regret = regret_of(forecast);
  return summary;
}

}  // namespace sparsecast
