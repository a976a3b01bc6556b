#include "model/links/parallel_pricer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "model/links/sum_phases.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// Of the vector that all devices have whole, a device touches its own part and what it receives.
TrafficCase touched_case(const SegmentWork& one, const Layout& layout,
                         const std::optional<CpuExecution>& cpu) {
  return {layout,   one.touched_shape(), one.pattern, {one.product, {}}, one.geometry, cpu,
          one.parts};
}

/// Whether two devices do the same between exchanges: then one of them is priced.
bool alike(const SegmentWork& one, const SegmentWork& other) {
  const auto sizes = [](const SegmentShape& shape) {
    const auto& [unknowns, total, elements, blocks, block_rows, index_bytes, offset_bytes] = shape;
    return std::tuple(unknowns, total, elements, blocks, block_rows, index_bytes, offset_bytes);
  };
  return one.parts.empty() && other.parts.empty() && one.received == other.received &&
         sizes(one.shape) == sizes(other.shape) && one.pattern == other.pattern &&
         one.product == other.product && one.geometry == other.geometry;
}

}  // namespace

ParallelPricer::ParallelPricer(const PricedSchedule& schedule, std::vector<SegmentWork> segments,
                               const GpuShape& gpu, Precision precision, const Layout& layout,
                               ExchangeMode mode, std::optional<CpuExecution> cpu,
                               LaunchMode launch)
    : schedule_(schedule), segments_(std::move(segments)), precision_(precision), mode_(mode) {
  if (segments_.size() < 2) throw Error("a price on several GPUs needs two segments at least");
  for (std::size_t device = 0; device < segments_.size(); ++device) {
    const SegmentWork& one = segments_[device];
    if (device == 0 || !alike(one, segments_[device - 1])) {
      pricers_.emplace_back(schedule_, launch, touched_case(one, layout, cpu), gpu, precision);
    }
    pricer_of_.push_back(pricers_.size() - 1);
  }
}

double ParallelPricer::exchanged_bytes(std::size_t device) const {
  const double value_bytes = static_cast<double>(bytes_per_value(precision_));
  const SegmentWork& one = segments_.at(device);
  if (mode_ == ExchangeMode::staged) return value_bytes * (one.sent + one.received);
  return value_bytes * std::max(one.received, one.sent);
}

ParallelPricer::Exchange ParallelPricer::exchange_of(std::size_t device, double product_seconds,
                                                     const ParallelCosts& costs) const {
  const auto& [fixed, moving, hidden] = costs.exchanges.at(device);
  Exchange exchange;
  exchange.hidden_seconds = std::min(moving, hidden * product_seconds);
  exchange.seconds = fixed + moving - exchange.hidden_seconds;
  return exchange;
}

ParallelCosts ParallelPricer::costs(const LinkCosts& link) const {
  const auto of_mode = link.exchanges.find(mode_);
  if (of_mode == link.exchanges.end()) {
    throw Error("the profile's link knows no exchange '" + std::string(to_string(mode_)) +
                "'; calibrate the links with this version");
  }
  const ExchangeCosts& exchange = of_mode->second;
  ParallelCosts costs;
  for (std::size_t device = 0; device < segments_.size(); ++device) {
    const SegmentWork& one = segments_[device];
    const double interior = one.interior_rows / std::max(1.0, one.shape.unknowns);
    costs.exchanges.push_back({exchange.fixed_seconds.value,
                               exchanged_bytes(device) / (giga * exchange.gbps.value),
                               exchange.hidden.value * interior});
  }
  costs.sum_seconds = link.sum_seconds.value;
  return costs;
}

TrafficPrice ParallelPricer::price(const TrafficParameters& parameters,
                                   const ParallelCosts& costs) const {
  return prices(parameters, {&costs, 1}).front();
}

std::vector<TrafficPrice> ParallelPricer::prices(const TrafficParameters& parameters,
                                                 std::span<const ParallelCosts> costs) const {
  std::vector<TrafficPrice> alone;
  for (const TrafficPricer& pricer : pricers_) alone.push_back(pricer.price(parameters));
  std::vector<TrafficPrice> prices;
  for (const ParallelCosts& each : costs) prices.push_back(together(alone, each));
  return prices;
}

TrafficPrice ParallelPricer::together(std::span<const TrafficPrice> prices,
                                      const ParallelCosts& costs) const {
  const auto alone = [&](std::size_t device) -> const TrafficPrice& {
    return prices[pricer_of_[device]];
  };

  TrafficPrice price;
  price.steps.resize(prices.front().steps.size());
  for (const SumPhase& phase : schedule_.phases()) {
    double slowest = -1;
    std::size_t device = 0;
    Exchange exchange;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      Exchange of_device;
      for (const SumPhase::Product& product : phase.products) {
        const double beside = product.overlaps ? alone(i).steps[product.place].seconds : 0;
        const Exchange one = exchange_of(i, beside, costs);
        of_device.seconds += one.seconds;
        of_device.hidden_seconds += one.hidden_seconds;
      }
      double seconds = of_device.seconds;
      for (const std::size_t step : phase.steps) seconds += alone(i).steps[step].seconds;
      if (seconds <= slowest) continue;
      slowest = seconds;
      device = i;
      exchange = of_device;
    }
    for (const std::size_t step : phase.steps) price.steps[step] = alone(device).steps[step];
    price.seconds += slowest;
    price.exchange_seconds += exchange.seconds;
    price.hidden_seconds += exchange.hidden_seconds;
    if (phase.sums) {
      price.device_sum_seconds += costs.sum_seconds + costs.uneven * (slowest - exchange.seconds);
    }
  }
  for (const TrafficPrice& one : prices) {
    price.launch_seconds = std::max(price.launch_seconds, one.launch_seconds);
  }
  price.seconds += price.launch_seconds + price.device_sum_seconds;
  price.residual_seconds =
      std::ranges::max_element(prices, {}, &TrafficPrice::seconds)->residual_seconds;
  return price;
}

std::vector<std::string> ParallelPricer::parameter_groups() const {
  std::vector<std::string> groups;
  for (const TrafficPricer& pricer : pricers_) {
    for (std::string& group : pricer.parameter_groups()) {
      if (std::ranges::find(groups, group) == groups.end()) groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace sparsecast
