#include "predict/forecast/traffic/traffic_interval.hpp"

#include <cmath>

#include "model/interval_key.hpp"
#include "model/interval_widening.hpp"

namespace sparsecast {
namespace {

const IntervalRatios* ratios_of(const TrafficProfile& profile, const TrafficTime& time) {
  return find_intervals(profile.intervals, interval_keys(time.schedule.schedule(), time.launch,
                                                         time.layout, time.working_set_bytes));
}

/// What no calibration has measured of a schedule's kernels, which are priced by what others cost;
/// empty: nothing.
std::string unmeasured(const TrafficTime& time) {
  if (time.launch == LaunchMode::persistent) {
    if (time.persistent_needs == PersistentNeeds{}) return "";
    return "calibration has measured the persistent kernel of fused conjugate gradients alone";
  }
  if (!time.schedule.multiplies_by_diagonal_blocks()) return "";
  return "products by diagonal blocks are priced as passes over vectors, "
         "calibration has not measured them";
}

}  // namespace

std::optional<Interval> traffic_interval(const TrafficProfile& profile, const TrafficTime& time) {
  const IntervalRatios* ratios = ratios_of(profile, time);
  if (ratios == nullptr) return std::nullopt;
  const double wider = unlike_widening(time.likeness) *
                       size_widening(time.working_set_bytes, ratios->largest_bytes) *
                       (unmeasured(time).empty() ? 1 : unmeasured_kernel_widening);
  return Interval{time.seconds * std::pow(ratios->low, wider),
                  time.seconds * std::pow(ratios->high, wider)};
}

std::string novelty_warning(const TrafficProfile& profile, const TrafficTime& time) {
  const IntervalRatios* ratios = ratios_of(profile, time);
  const std::string kernels = unmeasured(time);
  if (ratios == nullptr) return kernels;
  constexpr double megabyte = 1e6;
  if (size_widening(time.working_set_bytes, ratios->largest_bytes) > 1) {
    return "an iteration touches more memory than any that calibration measured (" +
           std::to_string(std::llround(ratios->largest_bytes / megabyte)) +
           " MB); the interval is wider";
  }
  constexpr double said = 1.75;
  if (!kernels.empty()) return kernels + "; the interval is wider";
  if (unlike_widening(time.likeness) < said) return "";
  return "calibration measured little of the kind; the interval is wider";
}

}  // namespace sparsecast
