#include "model/network/nccl_calls.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/schedule/carried_exchange.hpp"
#include "core/schedule/overlapped_exchange.hpp"

namespace sparsecast {
namespace {

/// The share of an iteration's exchanges that sums carry.
double carried_share(const Schedule& schedule) {
  const auto exchanges = std::ranges::count(schedule.iteration, StepKind::exchange, &Step::kind);
  if (exchanges == 0) return 0;
  const auto carried = static_cast<double>(carried_exchanges(schedule.iteration).size());
  return carried / static_cast<double>(exchanges);
}

bool overlaps(const Schedule& schedule, std::span<const SegmentWork> segments,
              Precision precision) {
  double most = 0;
  for (const SegmentWork& one : segments) most = std::max({most, one.received, one.sent});
  return overlaps_products(schedule, most * static_cast<double>(bytes_per_value(precision)),
                           CudaPolicy{});
}

}  // namespace

double own_share(const SegmentWork& segment) {
  const double rows = segment.shape.unknowns - segment.interior_rows;
  const double fewest = std::max(rows, segment.received);
  const double most = rows * segment.shape.elements / std::max(1.0, segment.shape.unknowns);
  const double entries = std::sqrt(fewest * std::max(fewest, most));
  return std::clamp(1 - entries / std::max(1.0, segment.shape.elements), 0.0, 1.0);
}

void call_nccl(ParallelCosts& costs, const Schedule& schedule,
               std::span<const SegmentWork> segments, Precision precision, double kernel_seconds) {
  const bool beside = overlaps(schedule, segments, precision);
  const double carried = beside ? 0 : carried_share(schedule);
  for (std::size_t i = 0; i < costs.exchanges.size(); ++i) {
    ParallelCosts::Exchange& each = costs.exchanges[i];
    const double apart = each.fixed_seconds + each.moving_seconds;
    if (beside) {
      each = {kernel_seconds, apart, own_share(segments[i])};
      continue;
    }
    const double left = apart - carried * std::min(costs.sum_seconds, apart);
    each.moving_seconds = std::min(each.moving_seconds, left);
    each.fixed_seconds = left - each.moving_seconds;
  }
  costs.sum_seconds += kernel_seconds;
}

}  // namespace sparsecast
