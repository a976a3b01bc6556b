#include "predict/validation/roofline.hpp"

#include <string>

#include "core/base/error.hpp"
#include "model/step_kinds.hpp"
#include "model/traffic/persistent_pricer.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

constexpr double bytes_per_gigabyte = 1e9;

/// What starts kernels, and what they meet for.
double fixed_seconds(double kernels, double kernels_with_sums, LaunchMode launch,
                     const PersistentExecution& persistent, const TrafficParameters& parameters) {
  if (launch == LaunchMode::persistent) {
    return costs_of(parameters.persistent_sums, persistent_sums_key(persistent)).base_seconds;
  }
  const DeviceCosts& device = parameters.device;
  const KernelCosts& costs = costs_of(parameters.kernels, std::string(vector_kind));
  double seconds = kernels * costs.fixed_seconds + kernels_with_sums * costs.sum_seconds;
  if (launch == LaunchMode::graph) {
    if (kernels > 1) seconds += device.graph_seconds;
  } else {
    seconds += kernels * device.plain_seconds;
  }
  if (launch == LaunchMode::host) seconds += kernels_with_sums * device.wait_seconds;
  return seconds;
}

}  // namespace

double roofline_seconds(const Schedule& schedule, LaunchMode launch, const SegmentShape& shape,
                        const PersistentExecution& persistent, const DeviceProfile& profile,
                        Precision precision) {
  if (!profile.traffic || profile.traffic->cpu_threads > 0) {
    throw Error("profile '" + profile.name +
                "' has no traffic model of a GPU, which the roofline needs");
  }
  const TrafficParameters& parameters = profile.traffic->parameters;
  const DeviceCosts& device = parameters.device;
  double kernels = 0;
  double kernels_with_sums = 0;
  double read = 0;
  double written = 0;
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step) || !runs_kernel(step)) continue;
    const BytesByKind bytes = bytes_moved(step, shape, precision);
    written += bytes.vector_writes;
    read += bytes.total() - bytes.vector_writes;
    ++kernels;
    if (sums(step)) ++kernels_with_sums;
  }
  const bool in_cache = working_set_bytes(schedule, shape, precision) <= device.cache_bytes;
  const double read_gbps = in_cache ? device.cache_read_gbps : device.memory_read_gbps;
  const double write_gbps = in_cache ? device.cache_write_gbps : device.memory_write_gbps;
  return fixed_seconds(kernels, kernels_with_sums, launch, persistent, parameters) +
         (read / read_gbps + written / write_gbps) / bytes_per_gigabyte;
}

}  // namespace sparsecast
