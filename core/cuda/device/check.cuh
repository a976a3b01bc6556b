#pragma once

#include <cuda_runtime.h>

namespace sparsecast::cuda {

/// Clears the error that CUDA keeps, and throws `Error` with its name, the call and its place.
[[noreturn]] void fail(cudaError_t error, const char* call, const char* file, int line);

inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error != cudaSuccess) fail(error, call, file, line);
}

}  // namespace sparsecast::cuda

/// Every call of the CUDA runtime goes through this. After a launch: SPARSECAST_CUDA_CHECK of
/// `cudaGetLastError()`.
#define SPARSECAST_CUDA_CHECK(call) ::sparsecast::cuda::check((call), #call, __FILE__, __LINE__)
