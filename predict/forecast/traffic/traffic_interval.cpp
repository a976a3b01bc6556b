#include "predict/forecast/traffic/traffic_interval.hpp"

#include <algorithm>
#include <cmath>

#include "core/schedule/diagonal_blocks.hpp"
#include "model/interval_key.hpp"
#include "model/interval_widening.hpp"

namespace sparsecast {
namespace {

const IntervalRatios* ratios_of(const TrafficProfile& profile, const TrafficTime& time) {
  return find_intervals(profile.intervals, interval_keys(time.schedule, time.launch, time.layout,
                                                         time.working_set_bytes));
}

/// No calibration has measured these kernels, which are priced by what others of theirs cost.
bool has_unmeasured_kernels(const Schedule& schedule) {
  return std::ranges::any_of(schedule.iteration, multiplies_by_blocks);
}

}  // namespace

std::optional<Interval> traffic_interval(const TrafficProfile& profile, const TrafficTime& time) {
  const IntervalRatios* ratios = ratios_of(profile, time);
  if (ratios == nullptr) return std::nullopt;
  const double wider = unlike_widening(time.likeness) *
                       size_widening(time.working_set_bytes, ratios->largest_bytes) *
                       (has_unmeasured_kernels(time.schedule) ? unmeasured_kernel_widening : 1);
  return Interval{time.seconds * std::pow(ratios->low, wider),
                  time.seconds * std::pow(ratios->high, wider)};
}

std::string novelty_warning(const TrafficProfile& profile, const TrafficTime& time) {
  const IntervalRatios* ratios = ratios_of(profile, time);
  const std::string blocks = has_unmeasured_kernels(time.schedule)
                                 ? "products by diagonal blocks are priced as passes over vectors, "
                                   "calibration has not measured them"
                                 : "";
  if (ratios == nullptr) return blocks;
  constexpr double megabyte = 1e6;
  if (size_widening(time.working_set_bytes, ratios->largest_bytes) > 1) {
    const auto megabytes = [](double bytes) {
      return std::to_string(std::llround(bytes / megabyte)) + " MB";
    };
    return megabytes(time.working_set_bytes) + " are more than calibration measured (" +
           megabytes(ratios->largest_bytes) + "); the interval is wider";
  }
  constexpr double said = 1.75;
  if (!blocks.empty()) return blocks + "; the interval is wider";
  if (unlike_widening(time.likeness) < said) return "";
  return "calibration measured little like it; the interval is wider";
}

}  // namespace sparsecast
