#pragma once

#include <cstdint>

#include "core/cuda/run/run_state.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

namespace sparsecast::cuda {

/// The sum input . output of a product whose kernels sum nothing, behind it: reads both vectors
/// again. 16-byte aligned; by at most `most_blocks` thread blocks.
template <class T>
Launch product_dot_launch(const T* input, const T* output, std::int64_t size, const Gate& gate,
                          const BlockFinish& finish, std::int64_t most_blocks);

}  // namespace sparsecast::cuda
