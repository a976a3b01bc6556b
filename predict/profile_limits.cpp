#include "predict/profile_limits.hpp"

#include <algorithm>

#include "core/base/text/short_number.hpp"
#include "core/workload/layout.hpp"
#include "model/network/network_file.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"

namespace sparsecast {

std::string origin_text(const DeviceProfile& profile) {
  switch (profile.origin) {
    case DeviceProfile::Origin::measured:
      return "measured";
    case DeviceProfile::Origin::published:
      return "published constants";
    case DeviceProfile::Origin::estimated:
      if (!profile.estimated) return "an estimate";
      return "estimated from " + profile.estimated->like +
             " by data sheets; nobody has measured it";
    case DeviceProfile::Origin::measured_in_part:
      return profile.estimated ? "measured in part, kernels as on " + profile.estimated->like
                               : "measured in part";
  }
  return "";
}

std::string network_text(const Network& network) {
  return "network " + network.name + ": " + network.description + "; " +
         std::to_string(network.ranks_per_host) +
         (network.ranks_per_host == 1 ? " device" : " devices") + " a host" +
         (network.origin == Network::Origin::data_sheet ? "; by data sheets" : "");
}

const Network* common_network(std::span<const DeviceProfile> profiles) {
  for (const DeviceProfile& profile : profiles) {
    if (profile.network) return &*profile.network;
  }
  return nullptr;
}

std::vector<std::string> join(std::span<DeviceProfile> profiles, const Network& network) {
  for (DeviceProfile& profile : profiles) profile.network = network;
  const auto carries = [&](const DeviceProfile& profile) {
    return network.transports.contains(transport_on(profile));
  };
  std::vector<std::string> alone;
  // Where it joins none, the first forecast says so.
  if (std::ranges::none_of(profiles, carries)) return alone;
  for (DeviceProfile& profile : profiles) {
    if (carries(profile)) continue;
    alone.push_back("network '" + network.name + "' does not know " +
                    std::string(to_string(transport_on(profile))) + ", so " + profile.name +
                    " is not joined by it");
    profile.network.reset();
  }
  return alone;
}

bool prices_several_devices(const DeviceProfile& profile) {
  if (profile.traffic && profile.network) return true;
  if (profile.kind == DeviceProfile::Kind::cpu || profile.links.empty()) return false;
  return !profile.traffic || profile.link(2).costs.has_value();
}

std::string machine_warning(const DeviceProfile& profile, int devices) {
  if (profile.is_on_network(devices)) return "";
  // A CPU's devices are groups of its threads.
  const int known = profile.kind == DeviceProfile::Kind::gpu ? profile.device_count_max : 0;
  if (known == 0 || devices <= known) return "";
  return "profile '" + profile.name + "' is of a machine with " + std::to_string(known) +
         (known == 1 ? " device" : " devices") + "; how " + std::to_string(devices) +
         " work together is not known";
}

std::string arithmetic_warning(const DeviceProfile& profile, Precision precision) {
  const bool estimated = profile.origin == DeviceProfile::Origin::estimated && profile.estimated;
  if (!estimated || precision != Precision::f64) return "";
  // On a Hopper GPU products need less than an eighth of what it can.
  constexpr int spare = 8;
  const int from = profile.estimated->from.f64_per_clock;
  const int to = profile.estimated->to.f64_per_clock;
  if (spare * to >= from) return "";
  return "profile '" + profile.name + "': a multiprocessor does " + std::to_string(to) +
         " multiply-adds in f64 a clock, one of " + profile.estimated->like + " " +
         std::to_string(from) + "; what waits for arithmetic is forecast too fast";
}

std::string bias_warning(const DeviceProfile& profile, Precision precision, const Layout& layout,
                         int devices) {
  if (profile.traffic) return "";
  const std::string name = to_string(layout);
  const IntervalRatios* ratios = profile.iteration_ratios(precision, name, devices);
  if (ratios == nullptr || (ratios->low <= 1 && ratios->high >= 1)) return "";
  return "profile '" + profile.name + "': the " + std::string(profile.model()) +
         " model is known to be wrong for " + name + " in " + std::string(to_string(precision)) +
         ": calibration measured " + short_number(ratios->low) + " to " +
         short_number(ratios->high) +
         " times what it forecasts; the interval is where to expect the time";
}

}  // namespace sparsecast
