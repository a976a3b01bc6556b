#include "model/estimate/transfer_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsecast {
namespace {

/// Only errors are known of the first pair: a mean of 5.1 % and a median of 4.4 % of
/// iterations, 5.0 and 4.2 % of products. The quantiles are those of a normal distribution of the
/// logarithm that has such errors, exp(-+1.645 s) with the larger of s = mean / 0.798 and s =
/// median / 0.674.
constexpr std::array<TransferCost, 2> found{
    {{"h200", "h100-sxm", "iteration", 165, 0.898, 1.113, "docs/model.md, \"Like another GPU\""},
     {"h200", "h100-sxm", "step", 165, 0.902, 1.109, "docs/model.md, \"Like another GPU\""}}};

/// Between generations; an assumption.
constexpr double untried = 3;

}  // namespace

std::span<const TransferCost> transfer_costs() {
  return found;
}

IntervalRatios transfer_spread(const DataSheet& from, const DataSheet& to, std::string_view kind) {
  const bool has_kind = std::ranges::count(found, kind, &TransferCost::kind) > 0;
  IntervalRatios widest;
  for (const TransferCost& each : found) {
    if (each.kind != (has_kind ? kind : "iteration")) continue;
    widest.low = std::min(widest.low, each.low);
    widest.high = std::max(widest.high, each.high);
    widest.samples += each.patterns;
  }
  if (from.compute_capability == to.compute_capability) return widest;
  return {std::pow(widest.low, untried), std::pow(widest.high, untried), 0};
}

IntervalRatios widened(const IntervalRatios& calibrated, const IntervalRatios& spread) {
  const double low = std::log(calibrated.low);
  const double high = std::log(calibrated.high);
  const double middle = (low + high) / 2;
  const double half = (high - low) / 2;
  const double below = std::max(0.0, -std::log(spread.low));
  const double above = std::max(0.0, std::log(spread.high));
  return {std::exp(middle - std::hypot(half, below)), std::exp(middle + std::hypot(half, above)),
          calibrated.samples};
}

}  // namespace sparsecast
