#pragma once

#include "calibrate/plan/measurement_plan.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// How much is measured of a device.
enum class PlanExtent {
  all,    ///< everything a profile holds
  quick,  ///< the same from fewer samples
  like,   ///< of a GPU whose relative was calibrated
};

/// The plan for a kind of device; `PlanExtent::like` is for GPUs.
MeasurementPlan device_plan(DeviceProfile::Kind kind, PlanExtent extent,
                            const PlanOptions& options);

/// The defaults, with the last-level cache of this machine's CPU where it is known.
PlanOptions plan_options_here();

}  // namespace sparsecast
