#include "calibrate/fit/traffic_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "calibrate/fit/interval_fit.hpp"
#include "core/base/error.hpp"
#include "model/interval_key.hpp"
#include "model/interval_widening.hpp"
#include "model/step_kinds.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

/// One key's.
struct Ratios {
  std::vector<double> ratios;
  double largest_bytes = 0;
};

bool is_explained_by_terms(const TrafficPoint& point) {
  return point.launch == LaunchMode::persistent || has_passes(point.schedule);
}

class Collection {
 public:
  Collection(const GpuShape& gpu, const TrafficParameters& parameters)
      : gpu_(gpu), parameters_(parameters), terms_(parameters) {
    terms_.residuals.clear();
  }

  void add(const TrafficPoint& point, bool counts) {
    if (point.matrix.empty()) return;
    const std::optional<LaunchMode> launch =
        point.segment.cpu ? std::nullopt : std::optional(point.launch);
    const double bytes = working_set_bytes(point.schedule, point.segment.shape, point.precision);
    Ratios& of_key =
        ratios_[interval_keys(point.schedule, launch, point.segment.layout, bytes).front()];
    if (working_set_stratum(bytes) + 1 == working_set_strata().size()) {
      of_key.largest_bytes = std::max(of_key.largest_bytes, bytes);
    }
    if (!counts) return;
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu_, point.precision);
    try {
      // What is learned of the iterations that are measured is not known of another solver's.
      const TrafficPrice price = pricer.price(has_passes(point.schedule) ? terms_ : parameters_);
      of_key.ratios.push_back(
          std::pow(point.seconds / price.seconds, 1 / unlike_widening(price.likeness)));
    } catch (const Error&) {
      // Of a kind that no fitted sample has.
    }
  }

  std::map<std::string, IntervalRatios> intervals() const {
    std::map<std::string, IntervalRatios> intervals;
    for (const auto& [key, of_key] : ratios_) {
      const auto interval = interval_of(of_key.ratios);
      if (!interval) continue;
      intervals[key] = interval->ratios;
      intervals[key].largest_bytes = of_key.largest_bytes;
    }
    return intervals;
  }

 private:
  const GpuShape& gpu_;
  const TrafficParameters& parameters_;
  TrafficParameters terms_;
  std::map<std::string, Ratios> ratios_;
};

}  // namespace

std::map<std::string, IntervalRatios> fit_traffic_intervals(std::span<const TrafficPoint> fitted,
                                                            std::span<const TrafficPoint> held_out,
                                                            const GpuShape& gpu,
                                                            const TrafficParameters& parameters) {
  Collection collection(gpu, parameters);
  for (const TrafficPoint& point : held_out) collection.add(point, true);
  for (const TrafficPoint& point : fitted) collection.add(point, is_explained_by_terms(point));
  return collection.intervals();
}

}  // namespace sparsecast
