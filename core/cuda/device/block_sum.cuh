#pragma once

#include "core/cuda/device/warp.cuh"

namespace sparsecast::cuda {

/// The sums over all threads of a block, always added in the same order; known to thread 0. To be
/// called by all threads, at most once between two `__syncthreads()`.
template <int threads, int count>
__device__ void block_sums(double (&values)[count]) {
  static_assert(threads % warp_size == 0 && threads <= 1024);
  constexpr int warps = threads / warp_size;
  __shared__ double sums[count][warps];
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int k = 0; k < count; ++k) {
#pragma unroll
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
      values[k] += __shfl_down_sync(whole_warp, values[k], offset);
    }
    if (thread % warp_size == 0) sums[k][thread / warp_size] = values[k];
  }
  __syncthreads();
  if (thread >= warp_size) return;
#pragma unroll
  for (int k = 0; k < count; ++k) {
    values[k] = thread < warps ? sums[k][thread] : 0;
#pragma unroll
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
      values[k] += __shfl_down_sync(whole_warp, values[k], offset);
    }
  }
}

template <int threads>
__device__ double block_sum(double value) {
  double values[1] = {value};
  block_sums<threads>(values);
  return values[0];
}

}  // namespace sparsecast::cuda
