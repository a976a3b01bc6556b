#include "calibrate/fit/links/link_cost_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/fit/interval_fit.hpp"
#include "calibrate/fit/links/exchange_fit.hpp"
#include "calibrate/fit/links/link_iterations.hpp"
#include "calibrate/fit/median.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/workload/exchange_mode.hpp"
#include "model/interval_key.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "model/working_set.hpp"

namespace sparsecast {

namespace {

/// How much longer reductions of n parts take than of one part alone: median, and its error.
std::optional<Estimate> sum_cost(std::span<const Sample* const> samples, int devices) {
  std::map<std::tuple<Precision, std::string, double>, double> alone;
  for (const Sample* sample : samples) {
    if (sample->exchange == measured_alone && sample->layout.empty()) {
      alone[{sample->precision, sample->kernel, sample->shape.unknowns}] = sample->seconds;
    }
  }
  std::vector<double> more;
  for (const Sample* sample : samples) {
    if (sample->devices != devices || !sample->layout.empty()) continue;
    const auto part = alone.find(
        {sample->precision, sample->kernel, std::round(sample->shape.unknowns / devices)});
    if (part != alone.end()) more.push_back(sample->seconds - part->second);
  }
  if (more.empty()) return std::nullopt;
  const double middle = median(more);
  std::vector<double> distances;
  for (const double one : more) distances.push_back(std::abs(one - middle));
  // Of a median, from the median of distances, as of a normal distribution.
  constexpr double of_median = 1.253 * 1.483;
  return Estimate{std::max(0.0, middle),
                  of_median * median(distances) / std::sqrt(static_cast<double>(more.size()))};
}

/// Errors of what was fitted, and intervals of what was not.
void compare(std::span<const Sample* const> samples, int devices, const TrafficProfile& traffic,
             LinkIterations& iterations, LinkCostFit& fit) {
  LinkCosts& costs = *fit.costs;
  std::vector<double> fitted_errors;
  std::vector<double> errors;
  std::map<std::string, std::vector<double>> ratios;
  for (const Sample* sample : samples) {
    if (sample->devices != devices || sample->kernel != "Iteration") continue;
    const auto priced = iterations.pricer(*sample);
    if (!priced) continue;
    double predicted = 0;
    try {
      predicted = priced->price(traffic.parameters, priced->costs(costs)).seconds;
    } catch (const Error&) {
      continue;  // of a kind that no fitted sample has
    }
    const double error = std::abs(predicted / sample->seconds - 1);
    if (!sample->held_out) {
      fitted_errors.push_back(error);
      continue;
    }
    errors.push_back(error);
    const Schedule& of_sample = iterations.schedule(sample->schedule);
    const double bytes =
        working_set_bytes(of_sample, sample->segments.front().shape, sample->precision);
    const Layout layout = parse_layout(sample->layout);
    ratios[interval_keys(of_sample, LaunchMode::graph, layout, bytes).front()].push_back(
        sample->seconds / predicted);
  }
  if (!fitted_errors.empty()) costs.median_error = median(fitted_errors);
  for (const auto& [key, of_key] : ratios) {
    if (const auto interval = interval_of(of_key)) costs.intervals[key] = interval->ratios;
  }
  LinkCostFit::HeldOut& held_out = fit.held_out;
  held_out.samples = static_cast<int>(errors.size());
  if (errors.empty()) return;
  for (const double error : errors) held_out.mean_error += error;
  held_out.mean_error /= held_out.samples;
  held_out.median_error = median(std::move(errors));
}

}  // namespace

LinkCostFit fit_link_costs(std::span<const Sample* const> samples, int devices,
                           const TrafficProfile& traffic) {
  const std::optional<Estimate> sum = sum_cost(samples, devices);
  if (!sum) {
    return {{}, "no reductions to compare; the traffic model cannot price them", {}};
  }
  LinkIterations iterations(samples, traffic);
  LinkCosts costs;
  costs.sum_seconds = *sum;
  for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::peer, ExchangeMode::staged}) {
    const std::vector<LinkPoint> points = iterations.pairs(devices, mode);
    const auto exchange = fit_exchange(points, costs.sum_seconds.value);
    if (!exchange) continue;
    costs.exchanges[mode] = *exchange;
    costs.samples += static_cast<int>(points.size());
  }
  if (costs.exchanges.empty()) {
    return {{}, "too few pairs of iterations; the traffic model cannot price them", {}};
  }
  LinkCostFit fit{std::move(costs), {}, {}};
  compare(samples, devices, traffic, iterations, fit);
  return fit;
}

}  // namespace sparsecast
