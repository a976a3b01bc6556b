#pragma once

#include <cuda_runtime_api.h>

namespace sparsecast {

/// Launches a kernel that breaks down, and the current device's context with it.
void launch_breakdown(cudaStream_t stream);

}  // namespace sparsecast
