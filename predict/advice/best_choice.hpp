#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "predict/interval.hpp"
#include "predict/prediction.hpp"

namespace sparsecast {

/// Two times that differ by no more than this are a tie.
inline constexpr double tie_margin = 0.03;

/// Whether two forecasts cannot be told apart: their times differ by at most `tie_margin`, or each
/// lies in the other's 90 % interval.
bool is_tie(double seconds_a, const std::optional<Interval>& interval_a, double seconds_b,
            const std::optional<Interval>& interval_b);

/// The fastest prediction that fits, but of those for comparison, and how close the others come.
/// Fastest of whole solves where all predictions have `total_seconds`, else of an iteration.
struct BestChoice {
  std::size_t index = 0;
  std::optional<std::size_t> second;  ///< the next fastest that fits
  std::optional<double> margin;       ///< how much slower the second is (0.1: by 10 %)
  std::vector<std::size_t> ties;      ///< all others that fit and cannot be told apart from it
};

/// Throws `Error` if there is no prediction or none fits: what is needed and what is there.
BestChoice best_choice(std::span<const Prediction> predictions);

}  // namespace sparsecast
