#include "calibrate/fit/links/link_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "calibrate/measure/measured_schedules.hpp"
#include "calibrate/plan/link_plan.hpp"
#include "core/formats/registry.hpp"
#include "model/links/link_costs.hpp"
#include "model/step_kinds.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {

const Schedule& LinkIterations::schedule(const std::string& name) {
  const auto known = schedules_.find(name);
  if (known != schedules_.end()) return known->second;
  return schedules_.emplace(name, schedule_to_measure("Iteration", name)).first->second;
}

std::optional<ParallelPricer> LinkIterations::pricer(const Sample& sample) {
  if (sample.segments.size() < 2) return std::nullopt;
  const PricedSchedule& priced =
      priced_.try_emplace(sample.schedule, schedule(sample.schedule)).first->second;
  return ParallelPricer(priced, sample.segments, traffic_.gpu, sample.precision,
                        parse_layout(sample.layout), parse_exchange_mode(sample.exchange));
}

/// Of an iteration, as far as it does not depend on costs that are to be fitted.
std::optional<LinkPoint> LinkIterations::point_of(const Sample& sample) {
  const auto priced = pricer(sample);
  if (!priced) return std::nullopt;
  LinkPoint point;
  point.seconds = sample.seconds;
  point.noise_seconds = sample.relative_noise() * sample.seconds;
  LinkCosts free;
  free.exchanges[parse_exchange_mode(sample.exchange)] = {{0, 0}, {1e9, 0}, {0, 0}};
  const TrafficPrice price = priced->price(traffic_.parameters, priced->costs(free));
  point.sums = 0;
  for (const Step& step : schedule(sample.schedule).iteration) {
    if (!step.guard && sums(step)) ++point.sums;
  }
  for (std::size_t device = 0; device < sample.segments.size(); ++device) {
    point.bytes = std::max(point.bytes, priced->exchanged_bytes(device));
  }
  const SegmentWork& first = sample.segments.front();
  for (const StepPrice& step : price.steps) {
    if (!(step.bytes.values > 0)) continue;
    point.interior_seconds =
        step.seconds * first.interior_rows / std::max(1.0, first.shape.unknowns);
  }
  return point;
}

std::vector<LinkPoint> LinkIterations::pairs(int devices, ExchangeMode mode) {
  std::map<std::pair<Precision, std::string>, const Sample*> alone;
  for (const Sample* sample : samples_) {
    if (sample->exchange == measured_alone && sample->kernel == "Iteration") {
      alone[{sample->precision, sample->matrix}] = sample;
    }
  }
  std::vector<LinkPoint> points;
  for (const Sample* sample : samples_) {
    if (sample->devices != devices || sample->kernel != "Iteration" || sample->held_out ||
        sample->exchange != to_string(mode)) {
      continue;
    }
    const auto part = alone.find({sample->precision, part_of_slab(devices, sample->matrix)});
    if (part == alone.end()) continue;
    std::optional<LinkPoint> point = point_of(*sample);
    if (!point) continue;
    point->alone_seconds = part->second->seconds;
    point->noise_seconds =
        std::hypot(point->noise_seconds, part->second->relative_noise() * part->second->seconds);
    points.push_back(*point);
  }
  return points;
}

}  // namespace sparsecast
