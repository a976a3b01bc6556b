#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/links/exchange_fit.hpp"
#include "calibrate/sample.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/exchange_mode.hpp"
#include "model/links/parallel_pricer.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/traffic_parameters.hpp"

namespace sparsecast {

/// Whole iterations on several GPUs as the traffic model prices them.
class LinkIterations {
 public:
  /// Keeps references to both.
  LinkIterations(std::span<const Sample* const> samples, const TrafficProfile& traffic)
      : samples_(samples), traffic_(traffic) {}

  const Schedule& schedule(const std::string& name);

  /// Nothing for a sample without segments.
  std::optional<ParallelPricer> pricer(const Sample& sample);

  /// The iterations on so many GPUs that are not held out, each beside that of one GPU with a part
  /// of the same matrix alone; those without one are left out.
  std::vector<LinkPoint> pairs(int devices, ExchangeMode mode);

 private:
  std::optional<LinkPoint> point_of(const Sample& sample);

  std::span<const Sample* const> samples_;
  const TrafficProfile& traffic_;
  std::map<std::string, Schedule> schedules_;
  std::map<std::string, PricedSchedule> priced_;  ///< of these
};

}  // namespace sparsecast
