#include "calibrate/fit/traffic_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "calibrate/fit/interval_fit.hpp"
#include "core/base/error.hpp"
#include "core/formats/for_comparisons.hpp"
#include "model/interval_key.hpp"
#include "model/interval_widening.hpp"
#include "model/step_kinds.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

double bytes_of(const TrafficPoint& point) {
  return working_set_bytes(point.schedule, point.segment.shape, point.precision);
}

std::string key_of(const TrafficPoint& point) {
  const std::optional<LaunchMode> launch =
      point.segment.cpu ? std::nullopt : std::optional(point.launch);
  const Layout& layout = point.segment.layout;
  const std::vector<std::string> keys =
      interval_keys(point.schedule, launch, layout, bytes_of(point));
  // Of formats for comparisons there are few.
  return keys[is_for_comparisons(layout) ? 1 : 0];
}

}  // namespace

void TrafficIntervals::add_calibrated(std::span<const TrafficPoint> points) {
  for (const TrafficPoint& point : points) {
    const double bytes = bytes_of(point);
    if (point.matrix.empty() || working_set_stratum(bytes) + 1 < working_set_strata().size()) {
      continue;
    }
    double& largest = largest_bytes_[key_of(point)];
    largest = std::max(largest, bytes);
  }
}

void TrafficIntervals::add_forecasts(std::span<const TrafficPoint> points, const GpuShape& gpu,
                                     const TrafficParameters& parameters) {
  TrafficParameters terms = parameters;
  terms.residuals.clear();
  for (const TrafficPoint& point : points) {
    if (point.matrix.empty()) continue;
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu, point.precision);
    try {
      const TrafficPrice price = pricer.price(has_passes(point.schedule) ? terms : parameters);
      ratios_[key_of(point)].push_back(
          std::pow(point.seconds / price.seconds, 1 / unlike_widening(price.likeness)));
    } catch (const Error&) {
      // Of a kind that no fitted sample has.
    }
  }
}

std::map<std::string, IntervalRatios> TrafficIntervals::intervals() const {
  std::map<std::string, IntervalRatios> intervals;
  for (const auto& [key, ratios] : ratios_) {
    const auto interval = interval_of(ratios);
    if (!interval) continue;
    intervals[key] = interval->ratios;
    const auto largest = largest_bytes_.find(key);
    if (largest != largest_bytes_.end()) intervals[key].largest_bytes = largest->second;
  }
  return intervals;
}

}  // namespace sparsecast
