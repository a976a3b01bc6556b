#include "predict/forecast/traffic/parallel_forecast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/cpu/cpu_policy.hpp"
#include "model/interval_key.hpp"
#include "model/network/behind_sums.hpp"
#include "model/network/nccl_calls.hpp"
#include "model/network/rank_traffic.hpp"
#include "model/working_set.hpp"
#include "predict/forecast/traffic/traffic_interval.hpp"

namespace sparsecast {

namespace {

/// That of the link, and no narrower than that of one GPU, which knows layouts and likeness; where
/// the link has none of that size, the latter.
std::optional<Interval> interval_of(const TrafficProfile& profile, const Link& link,
                                    const TrafficTime& time) {
  const IntervalRatios* ratios = find_intervals(
      link.costs->intervals,
      interval_keys(time.schedule.schedule(), time.launch, time.layout, time.working_set_bytes));
  // What the exchanges of a user's own solver cost more is not calibrated.
  if (ratios == nullptr && time.schedule.has_passes()) return std::nullopt;
  const std::optional<Interval> of_one = traffic_interval(profile, time);
  if (ratios == nullptr) return of_one;
  Interval interval{time.seconds * ratios->low, time.seconds * ratios->high};
  if (of_one) {
    interval = {std::min(interval.low, of_one->low), std::max(interval.high, of_one->high)};
  }
  return interval;
}

/// Over all sizes: what another number of devices touches says nothing of how well it is forecast.
std::optional<Interval> widest_interval(const TrafficProfile& profile, const Link& link,
                                        TrafficTime time) {
  std::optional<Interval> widest = interval_of(profile, link, time);
  time.working_set_bytes = 0;
  for (const Stratum& stratum : working_set_strata()) {
    const auto interval = interval_of(profile, link, time);
    time.working_set_bytes = stratum.bytes_below;
    if (!interval) continue;
    if (!widest) widest = interval;
    widest = Interval{std::min(widest->low, interval->low), std::max(widest->high, interval->high)};
  }
  return widest;
}

/// Of the device that touches most.
double largest_working_set(const PricedSchedule& schedule, std::span<const SegmentWork> segments,
                           Precision precision, bool are_ranks) {
  double bytes = 0;
  for (const SegmentWork& one : segments) {
    bytes = std::max(
        bytes, schedule.working_set_bytes(are_ranks ? one.touched_shape() : one.shape, precision));
  }
  return bytes;
}

/// In the order in which forecasts take them.
constexpr std::array transports_of_gpus{Transport::nccl, Transport::staged, Transport::gpu_aware};

/// What segments exchange with each other.
std::vector<std::vector<NeighbourTraffic>> traffic_of(std::span<const SegmentWork> segments,
                                                      Precision precision) {
  const auto value_bytes = static_cast<double>(bytes_per_value(precision));
  std::vector<std::vector<NeighbourTraffic>> all;
  for (const SegmentWork& one : segments) {
    std::vector<NeighbourTraffic>& of_one = all.emplace_back();
    for (const Neighbour& each : one.neighbours) {
      of_one.push_back({each.device, value_bytes * each.received, value_bytes * each.sent});
    }
  }
  return all;
}

/// Whether each exchange has a sum before it, after the exchange before, and one after it.
bool sums_between_exchanges(const PricedSchedule& schedule) {
  return std::ranges::all_of(schedule.phases(), [](const SumPhase& phase) {
    return phase.products.empty() || (phase.products.size() == 1 && phase.sums);
  });
}

ParallelForecast price_on_network(const DeviceProfile& profile, const PricedSchedule& schedule,
                                  const ParallelPricer& pricer,
                                  std::span<const SegmentWork> segments, Precision precision,
                                  const Layout& layout) {
  const Network& network = *profile.network;
  const bool on_cpus = profile.traffic->cpu_threads > 0;
  const Transport transport = transport_on(profile);
  const std::vector<std::vector<NeighbourTraffic>> traffic = traffic_of(segments, precision);
  // 90 % of a normal distribution lie within so many deviations.
  constexpr double deviations = 1.645;
  const bool hides_latencies = sums_between_exchanges(schedule);
  const auto& kernels = profile.traffic->parameters.kernels;
  const auto kernel = kernels.find(vector_kind);
  const double kernel_seconds = kernel == kernels.end() ? 0 : kernel->second.fixed_seconds;
  const auto costs_at = [&](double shift) {
    const Network one = shifted(network, shift);
    ParallelCosts costs = costs_on_network(one, transport, traffic, one.ranks_per_host);
    if (hides_latencies) {
      const std::vector<double> hidden =
          latencies_behind_sums(one, transport, traffic, one.ranks_per_host);
      for (std::size_t i = 0; i < hidden.size(); ++i) costs.exchanges[i].fixed_seconds -= hidden[i];
    }
    if (transport == Transport::nccl) {
      call_nccl(costs, schedule.schedule(), segments, precision, kernel_seconds);
    }
    return costs;
  };
  const std::array costs{costs_at(0), costs_at(-deviations), costs_at(deviations)};
  const std::vector<TrafficPrice> prices = pricer.prices(profile.traffic->parameters, costs);
  const auto together = [](const TrafficPrice& price) {
    return price.exchange_seconds + price.device_sum_seconds;
  };
  const double working_set = largest_working_set(schedule, segments, precision, true);
  ParallelForecast forecast;
  forecast.price = prices[0];
  const double alone = forecast.price.seconds - together(forecast.price);
  const std::optional<LaunchMode> launch =
      on_cpus ? std::nullopt : std::optional(launch_on(profile, static_cast<int>(segments.size())));
  const TrafficTime time{schedule, launch, layout, working_set, alone};
  forecast.interval = traffic_interval(*profile.traffic, time);
  if (forecast.interval) {
    forecast.novelty = novelty_warning(*profile.traffic, time);
    forecast.interval->low += together(prices[1]);
    forecast.interval->high += together(prices[2]);
  }
  if (network.origin == Network::Origin::data_sheet) {
    forecast.extrapolation = "network '" + network.name +
                             "' is from data sheets and publications; nobody has measured it with "
                             "these devices";
  }
  return forecast;
}

}  // namespace

Transport transport_on(const DeviceProfile& profile) {
  if (profile.kind == DeviceProfile::Kind::cpu) return Transport::mpi;
  for (const Transport transport : transports_of_gpus) {
    if (profile.network->transports.contains(transport)) return transport;
  }
  return Transport::staged;
}

ExchangeMode exchange_by(Transport transport) {
  switch (transport) {
    case Transport::staged:
      return ExchangeMode::staged;
    case Transport::gpu_aware:
      return ExchangeMode::gpu_aware;
    case Transport::mpi:
    case Transport::nccl:
      break;
  }
  return ExchangeMode::nccl;
}

std::optional<Transport> transport_of(ExchangeMode mode) {
  for (const Transport transport : transports_of_gpus) {
    if (exchange_by(transport) == mode) return transport;
  }
  return std::nullopt;
}

DeviceProfile joined_by(DeviceProfile profile, Transport transport) {
  std::erase_if(profile.network->transports,
                [&](const auto& entry) { return entry.first != transport; });
  profile.links.clear();
  return profile;
}

LaunchMode launch_on(const DeviceProfile& profile, int devices) {
  const bool by_hosts =
      profile.is_on_network(devices) && is_by_hosts_of_ranks(exchange_by(transport_on(profile)));
  return by_hosts ? LaunchMode::host : LaunchMode::graph;
}

void require_links(const DeviceProfile& profile, int devices) {
  if (profile.traffic && profile.is_on_network(devices)) return;
  const bool links = !profile.links.empty();
  if (profile.traffic && links && profile.link(devices).costs) return;
  // The paper's model needs links, too, but not what only the traffic model knows of them.
  throw Error("profile '" + profile.name + "' does not know what iterations on " +
              std::to_string(devices) +
              " GPUs cost; calibrate its links (sparsecast calibrate --device cuda:0,cuda:1)" +
              (links ? ", or use model paper" : ""));
}

std::optional<CpuExecution> cpu_execution_on(const DeviceProfile& profile,
                                             std::span<const SegmentWork> segments) {
  const int threads = profile.traffic->cpu_threads;
  if (threads == 0) return std::nullopt;
  return CpuExecution{CpuPolicy{}.threads(segments.front().shape, threads)};
}

ParallelForecast price_on_several(const DeviceProfile& profile, const Schedule& schedule,
                                  std::vector<SegmentWork> segments, Precision precision,
                                  const Layout& layout, ExchangeMode mode) {
  const auto devices = static_cast<int>(segments.size());
  require_links(profile, devices);
  const PricedSchedule priced(schedule);
  const ParallelPricer pricer(priced, segments, profile.traffic->gpu, precision, layout, mode,
                              cpu_execution_on(profile, segments), launch_on(profile, devices));
  return price_on_several(profile, priced, pricer, segments, precision, layout);
}

ParallelForecast price_on_several(const DeviceProfile& profile, const PricedSchedule& schedule,
                                  const ParallelPricer& pricer,
                                  std::span<const SegmentWork> segments, Precision precision,
                                  const Layout& layout) {
  const auto devices = static_cast<int>(segments.size());
  require_links(profile, devices);
  if (profile.is_on_network(devices)) {
    return price_on_network(profile, schedule, pricer, segments, precision, layout);
  }
  const int measured = profile.devices_of_link(devices);
  const Link& link = profile.link(devices);
  const double working_set = largest_working_set(schedule, segments, precision, false);
  ParallelForecast forecast;
  forecast.price = pricer.price(profile.traffic->parameters, pricer.costs(*link.costs));
  const double seconds = forecast.price.seconds;
  const TrafficTime time{schedule, LaunchMode::graph, layout, working_set, seconds};
  forecast.interval = devices == measured ? interval_of(*profile.traffic, link, time)
                                          : widest_interval(*profile.traffic, link, time);
  if (forecast.interval) forecast.novelty = novelty_warning(*profile.traffic, time);
  if (devices == measured) return forecast;
  forecast.extrapolation = "extrapolated: profile '" + profile.name + "' has no link of " +
                           std::to_string(devices) + " devices; the one of " +
                           std::to_string(measured) + " stands for it" +
                           (forecast.interval ? ", and the interval is wider" : "");
  if (!forecast.interval) return forecast;
  const double together = forecast.price.exchange_seconds + forecast.price.device_sum_seconds;
  const double ratio = static_cast<double>(devices) / measured;
  if (ratio > 1) {
    forecast.interval->high += (ratio - 1) * together;
  } else {
    forecast.interval->low *= 1 - (1 - ratio) * together / seconds;
  }
  return forecast;
}

}  // namespace sparsecast
