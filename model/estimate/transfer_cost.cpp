#include "model/estimate/transfer_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsecast {
namespace {

/// Of cases that no fit of the relative has seen, the 5 % and the 95 % quantile of measured time
/// over the one that the estimate forecasts.
constexpr std::array<TransferCost, 6> found{
    {{"h200", "h100-sxm", "iteration", 208, 0.966, 1.084, "docs/validation/nvidia-h100.csv.gz"},
     {"h200", "h100-sxm", "persistent", 199, 0.947, 1.258, "docs/validation/nvidia-h100.csv.gz"},
     {"h200", "h100-sxm", "step", 208, 0.930, 1.145, "docs/validation/nvidia-h100.csv.gz"},
     {"h100-sxm", "h200", "iteration", 227, 0.899, 1.030, "docs/validation/nvidia-h200.csv.gz"},
     {"h100-sxm", "h200", "persistent", 207, 0.825, 1.076, "docs/validation/nvidia-h200.csv.gz"},
     {"h100-sxm", "h200", "step", 227, 0.858, 1.062, "docs/validation/nvidia-h200.csv.gz"}}};

/// The same with the device constants of a subset of the samples, as plan "like" has them.
constexpr std::array<TransferCost, 6> found_in_part{
    {{"h200", "h100-sxm", "iteration", 208, 0.999, 1.023, "docs/validation/nvidia-h100.csv.gz"},
     {"h200", "h100-sxm", "persistent", 199, 0.962, 1.000, "docs/validation/nvidia-h100.csv.gz"},
     {"h200", "h100-sxm", "step", 208, 1.000, 1.000, "docs/validation/nvidia-h100.csv.gz"},
     {"h100-sxm", "h200", "iteration", 227, 0.974, 1.022, "docs/validation/nvidia-h200.csv.gz"},
     {"h100-sxm", "h200", "persistent", 207, 0.976, 1.000, "docs/validation/nvidia-h200.csv.gz"},
     {"h100-sxm", "h200", "step", 227, 0.943, 1.078, "docs/validation/nvidia-h200.csv.gz"}}};

/// Between generations; an assumption.
constexpr double untried = 3;

}  // namespace

std::span<const TransferCost> transfer_costs(Transfer transfer) {
  if (transfer == Transfer::measured_in_part) return found_in_part;
  return found;
}

IntervalRatios transfer_spread(const DataSheet& from, const DataSheet& to, std::string_view kind,
                               Transfer transfer) {
  const std::span<const TransferCost> costs = transfer_costs(transfer);
  const bool has_kind = std::ranges::count(costs, kind, &TransferCost::kind) > 0;
  IntervalRatios widest;
  for (const TransferCost& each : costs) {
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
  IntervalRatios wider = calibrated;
  wider.low = std::exp(middle - std::hypot(half, below));
  wider.high = std::exp(middle + std::hypot(half, above));
  return wider;
}

}  // namespace sparsecast
