#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// The time lost by following the prediction: measured time of the choice that is predicted
/// fastest over the measured time of the fastest, minus 1. A matrix counts once.
struct RegretSummary {
  std::size_t matrices = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double max = 0;
  std::string worst_matrix;  ///< where the largest was
  double best_share = 0;     ///< share of choices that were the fastest
};

/// Regret over groups of cases among which a user would choose: layouts, schedules, launch modes.
/// One group a matrix, renumbering (and number of devices where that is not chosen).
RegretSummary summarize_regret(std::span<const ValidationRow> rows);

}  // namespace sparsecast
