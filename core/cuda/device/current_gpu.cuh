#pragma once

#include "core/engine/device_list.hpp"
#include "core/workload/gpu_execution.hpp"

namespace sparsecast::cuda {

/// In place of `cudaSetDevice`: makes a GPU or a part of one the current device of the calling
/// thread, for all that follows there, the default stream's kernels too. A part is a green context
/// of the driver, which shares memory with the whole GPU; one thread at a time may have it.
/// `cudaSetDevice` ends that. Throws `Error` that names the nearest parts where there is no such
/// one.
void use_gpu(const GpuPart& gpu);

int current_device();

/// Of the current device.
int current_multiprocessors();
GpuShape current_gpu_shape();

}  // namespace sparsecast::cuda
