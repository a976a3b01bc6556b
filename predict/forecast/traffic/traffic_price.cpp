#include "predict/forecast/traffic/traffic_price.hpp"

#include <algorithm>

namespace sparsecast {

bool knows_all(const TrafficParameters& parameters, const std::vector<std::string>& groups) {
  return std::ranges::all_of(groups, [&](const std::string& group) {
    return group == passes_group || has_parameter_group(parameters, group);
  });
}

TimeParts parts_of(const TrafficPrice& price) {
  TimeParts parts;
  parts.synchronisation =
      price.launch_seconds + price.synchronisation_seconds + price.device_sum_seconds;
  parts.exchange = price.exchange_seconds;
  parts.spmv = price.blocks_seconds + price.halo_seconds + price.moved_seconds;
  parts.vector_kernels = price.unknowns_seconds;
  for (const StepPrice& step : price.steps) {
    (step.bytes.values > 0 ? parts.spmv
     : step.name == "Red"  ? parts.reductions
                           : parts.vector_kernels) += step.seconds - step.waiting_seconds;
    parts.synchronisation += step.waiting_seconds;
  }
  return parts;
}

}  // namespace sparsecast
