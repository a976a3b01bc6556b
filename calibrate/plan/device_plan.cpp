#include "calibrate/plan/device_plan.hpp"

#include "calibrate/plan/gpu_plan.hpp"
#include "core/cpu/machine.hpp"

namespace sparsecast {

MeasurementPlan device_plan(DeviceProfile::Kind kind, PlanExtent extent,
                            const PlanOptions& options) {
  if (extent == PlanExtent::like) return gpu_like_plan(options);
  const bool quick = extent == PlanExtent::quick;
  if (kind == DeviceProfile::Kind::gpu) {
    return quick ? gpu_quick_plan(options) : gpu_default_plan(options);
  }
  return quick ? quick_plan(options) : default_plan(options);
}

PlanOptions plan_options_here() {
  PlanOptions options;
  const CpuDescription cpu = describe_cpu();
  if (cpu.l3_bytes > 0) options.cache_bytes = cpu.l3_bytes;
  return options;
}

}  // namespace sparsecast
