#include "model/traffic/traffic_pricer.hpp"

#include "core/base/error.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "model/traffic/cpu_pricer.hpp"
#include "model/traffic/gpu_pricer.hpp"
#include "model/traffic/persistent_pricer.hpp"

namespace sparsecast {
namespace {

std::unique_ptr<const Pricer> pricer_of(const PricedSchedule& schedule, LaunchMode launch,
                                        const TrafficCase& segment, const GpuShape& gpu,
                                        Precision precision) {
  if (segment.cpu) return std::make_unique<CpuPricer>(schedule, segment, precision);
  if (launch == LaunchMode::persistent) {
    const auto needs =
        segment.persistent_needs ? segment.persistent_needs : persistent_needs(schedule.schedule());
    if (!needs) {
      throw Error("no kernel for all iterations of schedule '" + schedule.schedule().name + "'");
    }
    return std::make_unique<PersistentPricer>(segment, precision, *needs);
  }
  return std::make_unique<GpuPricer>(schedule, launch, segment, gpu, precision);
}

}  // namespace

TrafficPricer::TrafficPricer(const PricedSchedule& schedule, LaunchMode launch,
                             const TrafficCase& segment, const GpuShape& gpu, Precision precision)
    : pricer_(pricer_of(schedule, launch, segment, gpu, precision)) {}

TrafficPricer::TrafficPricer(const Schedule& schedule, LaunchMode launch,
                             const TrafficCase& segment, const GpuShape& gpu, Precision precision)
    : own_(std::make_unique<const PricedSchedule>(schedule)),
      pricer_(pricer_of(*own_, launch, segment, gpu, precision)) {}

}  // namespace sparsecast
