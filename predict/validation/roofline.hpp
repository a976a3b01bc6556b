#pragma once

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// What an engineer would write on the back of an envelope for one iteration on one GPU: a roofline
/// of two levels, all from the profile's device constants and nothing fitted to the cases it is
/// compared on.
///
/// What kernels read and write moves at L2's bandwidths where the working set of the iteration
/// (`working_set_bytes`) is no larger than L2's effective capacity, else at memory's. A kernel
/// costs the fixed time of kernels on vectors beside, with sums theirs; launched plainly or by the
/// host more, and by the host each sum a wait. An iteration of several kernels has the gap between
/// graphs. Persistent kernels launch nothing in an iteration; their thread blocks meet for its sums
/// (`persistent` says how). Throws `Error` for a profile without a GPU's traffic model, or without
/// what it knows of persistent kernels where this is one.
double roofline_seconds(const Schedule& schedule, LaunchMode launch, const SegmentShape& shape,
                        const PersistentExecution& persistent, const DeviceProfile& profile,
                        Precision precision);

}  // namespace sparsecast
