#pragma once

#include <cstddef>

#include "core/base/buffer.hpp"
#include "core/cuda/device/device_array.cuh"

namespace sparsecast {

/// What is in an array of the device.
template <class Value>
Buffer<Value> fetch(const cuda::DeviceArray<Value>& array) {
  Buffer<Value> values(static_cast<std::size_t>(array.size()));
  if (!values.empty()) {
    SPARSECAST_CUDA_CHECK(
        cudaMemcpy(values.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost));
  }
  return values;
}

}  // namespace sparsecast
