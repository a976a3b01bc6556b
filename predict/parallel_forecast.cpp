#include "predict/parallel_forecast.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "model/working_set.hpp"
#include "predict/traffic_interval.hpp"

namespace sparsecast {

ParallelForecast price_on_several(const DeviceProfile& profile, const Schedule& schedule,
                                  std::vector<SegmentWork> segments, Precision precision,
                                  std::string_view layout, ExchangeMode mode) {
  const auto devices = static_cast<int>(segments.size());
  const int measured = profile.devices_of_link(devices);
  const Link& link = profile.link(devices);
  if (!profile.traffic || !link.costs) {
    throw Error("profile '" + profile.name +
                "' does not know what iterations on several GPUs cost; calibrate its links "
                "(--device cuda:0,cuda:1), or use --model paper");
  }
  double working_set = 0;
  for (const SegmentWork& one : segments) {
    working_set = std::max(working_set, working_set_bytes(schedule, one.shape, precision));
  }
  const ParallelPricer pricer(schedule, std::move(segments), profile.traffic->gpu, precision,
                              layout, mode);
  ParallelForecast forecast;
  forecast.price = pricer.price(profile.traffic->parameters, *link.costs);
  const double seconds = forecast.price.seconds;
  const auto ratios =
      link.costs->intervals.find(interval_key(schedule, LaunchMode::graph, working_set));
  if (ratios != link.costs->intervals.end()) {
    forecast.interval = Interval{seconds * ratios->second.low, seconds * ratios->second.high};
  } else {
    forecast.interval =
        traffic_interval(*profile.traffic, schedule, LaunchMode::graph, working_set, seconds);
  }
  if (devices == measured) return forecast;
  forecast.extrapolation = "extrapolated: profile '" + profile.name + "' has no link of " +
                           std::to_string(devices) + " devices; the one of " +
                           std::to_string(measured) + " stands for it, and the interval is wider";
  if (forecast.interval && devices > measured) {
    const double more = static_cast<double>(devices) / measured - 1;
    forecast.interval->high +=
        more * (forecast.price.exchange_seconds + forecast.price.device_sum_seconds);
  }
  return forecast;
}

}  // namespace sparsecast
