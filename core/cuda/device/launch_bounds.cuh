#pragma once

/// @file
/// What `__launch_bounds__` may ask for, of the generation that is compiled for.

namespace sparsecast::cuda {

/// Threads that a multiprocessor holds: CUDA C++ Programming Guide, compute capabilities.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || \
                               __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr int threads_per_multiprocessor = 1536;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr int threads_per_multiprocessor = 1024;
#else
inline constexpr int threads_per_multiprocessor = 2048;
#endif

/// Thread blocks of so many threads that a multiprocessor is to have registers for: as many as are
/// wanted, or as it has room for.
constexpr int resident_blocks_of(int threads, int wanted) {
  return wanted * threads <= threads_per_multiprocessor ? wanted
                                                        : threads_per_multiprocessor / threads;
}

}  // namespace sparsecast::cuda
