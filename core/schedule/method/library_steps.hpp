#pragma once

#include <vector>

#include "core/schedule/library_execution.hpp"
#include "core/schedule/method/method_operation.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The calls that a library makes of a list of operations, in order, on one GPU: a kernel each, and
/// a barrier where the host waits. For prices: kernels of the library's own are passes, those of
/// NVIDIA's libraries have the names of the vendor's solver. Scalars cost a call where they are on
/// the device, but copies, which are names, and roots, which end a norm. `zero`: a scalar that is
/// 0, of guards.
std::vector<Step> library_steps(const std::vector<MethodOperation>& operations,
                                const LibraryExecution& library, ScalarSlot zero);

}  // namespace sparsecast
