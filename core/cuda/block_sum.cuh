#pragma once

namespace sparsecast::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr int warp_size = 32;

/// The sum over all threads of a block, always added in the same order; known to thread 0. To be
/// called by all threads, at most once between two `__syncthreads()`.
template <int threads>
__device__ double block_sum(double value) {
  static_assert(threads % warp_size == 0 && threads <= 1024);
  constexpr int warps = threads / warp_size;
  __shared__ double sums[warps];
  const int thread = static_cast<int>(threadIdx.x);
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(whole_warp, value, offset);
  }
  if (thread % warp_size == 0) sums[thread / warp_size] = value;
  __syncthreads();
  if (thread < warp_size) {
    value = thread < warps ? sums[thread] : 0;
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
      value += __shfl_down_sync(whole_warp, value, offset);
    }
  }
  return value;
}

}  // namespace sparsecast::cuda
