#pragma once

#include <optional>
#include <span>

#include "model/interval_ratios.hpp"

namespace sparsecast {

/// The spread of measured / predicted times.
struct IntervalFit {
  IntervalRatios ratios;
  double median = 1;
  /// Too few ratios for quantiles: the interval assumes a log-normal distribution (Student's t).
  bool assumed_log_normal = false;
};

/// The 90 % interval for a new ratio, split conformal: the order statistics floor(0.05 (n + 1)) and
/// ceil(0.95 (n + 1)) of the n ratios, which cover a new one with at least 90 % probability
/// whatever the distribution. Fewer than 19 ratios have no such statistics: Student's t on the
/// logarithms takes their place, and never gives less than the range seen. Nothing for fewer than
/// 3.
std::optional<IntervalFit> interval_of(std::span<const double> ratios);

}  // namespace sparsecast
