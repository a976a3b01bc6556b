#pragma once

#include <vector>

#include "core/cuda/run/run_state.cuh"
#include "core/schedule/schedule.hpp"

namespace sparsecast::cuda {

/// What one thread carries out for a step that works on scalars: its assignments and its tests, in
/// their order.
std::vector<ControlOperation> control_operations(const Step& step);

/// When a step runs.
DeviceTest guard_of(const Step& step);

}  // namespace sparsecast::cuda
