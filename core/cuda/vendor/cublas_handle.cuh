#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"

namespace sparsecast::cuda {

struct DestroyCublas {
  void operator()(cublasHandle_t handle) const { cublas().cublasDestroy_v2(handle); }
};
using CublasHandle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroyCublas>;

/// A handle for calls on a stream. Its working memory, which outlives it, would else be allocated
/// in the middle of a recording.
CublasHandle create_cublas(cudaStream_t stream, const DeviceArray<std::byte>& workspace);

}  // namespace sparsecast::cuda
