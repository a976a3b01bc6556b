#include "predict/profile_limits.hpp"

#include "core/base/text/short_number.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

bool prices_several_devices(const DeviceProfile& profile) {
  if (profile.kind == DeviceProfile::Kind::cpu || profile.links.empty()) return false;
  return !profile.traffic || profile.link(2).costs.has_value();
}

std::string machine_warning(const DeviceProfile& profile, int devices) {
  // A CPU's devices are groups of its threads.
  const int known = profile.kind == DeviceProfile::Kind::gpu ? profile.device_count_max : 0;
  if (known == 0 || devices <= known) return "";
  return "profile '" + profile.name + "' is of a machine with " + std::to_string(known) +
         (known == 1 ? " device" : " devices") + "; how " + std::to_string(devices) +
         " work together is not known";
}

std::string bias_warning(const DeviceProfile& profile, Precision precision, const Layout& layout) {
  if (profile.traffic) return "";
  const std::string name = to_string(layout);
  const auto& intervals = profile.at(precision).intervals;
  const auto ratios = intervals.find(name);
  if (ratios == intervals.end()) return "";
  const auto& [low, high, samples] = ratios->second;
  if (low <= 1 && high >= 1) return "";
  return "profile '" + profile.name + "': the " + std::string(profile.model()) +
         " model is known to be wrong for " + name + " in " + std::string(to_string(precision)) +
         ": calibration measured " + short_number(low) + " to " + short_number(high) +
         " times what it forecasts; the interval is where to expect the time";
}

}  // namespace sparsecast
