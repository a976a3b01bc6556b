#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/kernel_before.cuh"

/// @file
/// Kernels whose thread blocks get to their multiprocessors while the last ones of the kernel
/// before still run, where the GPU can do that (programmatic dependent launch).

namespace sparsecast::cuda {

/// Launches a kernel that begins with `wait_for_kernel_before` on the current device, with so many
/// bytes of shared memory.
template <class... Parameters, class... Arguments>
void launch_early_with_shared(std::size_t shared, void (*kernel)(Parameters...), unsigned blocks,
                              unsigned threads, cudaStream_t stream, Arguments&&... arguments) {
  int generation = 0;
  SPARSECAST_CUDA_CHECK(
      cudaDeviceGetAttribute(&generation, cudaDevAttrComputeCapabilityMajor, current_device()));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = generation >= 9 ? 1 : 0;
  SPARSECAST_CUDA_CHECK(
      cudaLaunchKernelEx(&config, kernel, static_cast<Arguments&&>(arguments)...));
}

/// The same without shared memory of its own.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                  cudaStream_t stream, Arguments&&... arguments) {
  launch_early_with_shared(0, kernel, blocks, threads, stream,
                           static_cast<Arguments&&>(arguments)...);
}

/// Thread blocks of a kernel that the current device runs at a time.
template <class... Parameters>
std::int64_t resident_blocks(void (*kernel)(Parameters...), int threads) {
  int blocks = 0;
  SPARSECAST_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  return std::int64_t{current_multiprocessors()} * std::max(blocks, 1);
}

}  // namespace sparsecast::cuda
