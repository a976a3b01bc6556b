#pragma once

#include "core/cuda/device/check.cuh"
#include "core/workload/gpu_execution.hpp"

namespace sparsecast::cuda {

inline int current_device() {
  int device = 0;
  SPARSECAST_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

/// Of the current device.
inline GpuShape current_gpu_shape() {
  const auto ask = [device = current_device()](cudaDeviceAttr attribute) {
    int value = 0;
    SPARSECAST_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
  };
  return {ask(cudaDevAttrMultiProcessorCount), ask(cudaDevAttrL2CacheSize),
          ask(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
}

}  // namespace sparsecast::cuda
