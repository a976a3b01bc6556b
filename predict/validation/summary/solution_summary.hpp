#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/validation/data/validation_row.hpp"
#include "predict/validation/summary/regret.hpp"

namespace sparsecast {

/// Errors of times to solution, |forecast / measured - 1|; a case counts once.
struct SolutionLine {
  std::string label;
  std::size_t cases = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double worst = 0;
  double within_tenth = 0;         ///< share of cases that are off by at most 10 %
  std::optional<double> coverage;  ///< share of 90 % intervals that hold the measured time
  /// Medians of what the error is made of: of the count, of the time of an iteration, and of the
  /// rest, over the measured total.
  double count_error = 0;
  double iteration_error = 0;
  double rest_error = 0;
};

/// How counts and solves ended, and how good the forecasts are of those that converged.
struct SolutionSummary {
  std::size_t cases = 0;
  std::size_t stable = 0;            ///< forecast, by a stable count
  std::size_t unstable = 0;          ///< forecast, by an unstable count
  std::size_t without_forecast = 0;  ///< both converged, but the profile lacks what they need
  std::size_t failed_both = 0;       ///< neither count nor solve converged
  std::size_t failed_count = 0;      ///< the count did not converge, the solve did
  std::size_t failed_solve = 0;      ///< the count converged, the solve did not
  /// Of stable counts, of unstable ones where there are some, then of stable ones by solver.
  std::vector<SolutionLine> lines;
  /// By the forecast total, among all solvers, layouts and launch modes that were forecast.
  RegretSummary regret;
  /// Median of what a call takes beside its time to solution, over that.
  double call_rest = 0;
};

/// Of the rows that have a solution; nothing where none has.
std::optional<SolutionSummary> summarize_solutions(std::span<const ValidationRow> rows);

}  // namespace sparsecast
