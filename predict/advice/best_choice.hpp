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

/// A prediction behind the best.
struct SlowerChoice {
  std::size_t index = 0;
  double margin = 0;  ///< how much slower it is than the best (0.1: by 10 %)
  bool tie = false;   ///< the two cannot be told apart (`is_tie`)
};

/// Whether it does not fit though the memory would do, and what is said of it.
bool has_too_many_rows(const Prediction& prediction);
inline constexpr const char* too_many_rows =
    "a device numbers at most 2^31 rows of its own; try more devices";

/// The fastest prediction that fits, but of those for comparison, and how close the others come.
/// Fastest by the time that `compared_time` says.
struct BestChoice {
  std::size_t index = 0;
  std::vector<SlowerChoice> others;  ///< all others that fit, the fastest first
};

/// Throws `Error` if there is no prediction or none fits: what is needed and what is there.
BestChoice best_choice(std::span<const Prediction> predictions);

}  // namespace sparsecast
