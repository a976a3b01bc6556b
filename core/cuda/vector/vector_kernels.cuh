#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <span>

#include "core/cuda/run/run_state.cuh"
#include "core/schedule/schedule.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/streamed_vectors.hpp"

/// @file
/// Kernels that work on vectors row by row: CG1 to CG5, Copy, Mixed, and partial sums for Red and
/// the load kernels. `core/cpu/cpu_kernels.hpp` has their arithmetic.

namespace sparsecast::cuda {

/// Launches what it was made for on a stream.
using Launch = std::function<void(cudaStream_t)>;

/// What the shape of a launch depends on.
struct LaunchShape {
  int multiprocessors = 1;
  std::int64_t l2_bytes = 0;
  CudaPolicy policy;

  /// Thread blocks, at most, of a kernel that ends with sums or checks.
  std::int64_t most_finishing_blocks() const {
    return static_cast<std::int64_t>(multiprocessors) * policy.finishing_blocks_per_multiprocessor;
  }
  /// `comes_from_memory` of vectors of so many rows.
  template <class T>
  bool streams(std::int64_t rows) const {
    return comes_from_memory(static_cast<double>(rows) * sizeof(T), l2_bytes);
  }
};

/// The launch of a step with this kernel name; empty if the name is none of these. `vectors` are
/// its operands, 16-byte aligned; `reads` how many of them `Mixed` reads.
template <class T>
Launch vector_launch(const Step& step, std::span<T* const> vectors, int reads, std::int64_t size,
                     const Gate& gate, const LaunchShape& shape);

/// Thread blocks, and thus partial sums, of `sum_launch`: for a fixed grid bounded by the number of
/// multiprocessors, for a variable one proportional to the size. At least 1.
std::int64_t sum_blocks(std::int64_t size, int value_bytes, bool variable,
                        const LaunchShape& shape);

/// Sums all values of the vectors, one partial sum a block.
template <class T>
Launch sum_launch(std::span<T* const> vectors, std::int64_t size, bool variable, double* partials,
                  const Gate& gate, const LaunchShape& shape);

}  // namespace sparsecast::cuda
