#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/cuda/several/halo_push.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

/// @file
/// CGStart, CGResidual and CGDirection: kernels that work on vectors row by row, and end with sums
/// and what follows them. `core/cpu/cpu_kernels.hpp` has their arithmetic.

namespace sparsecast::cuda {

/// Whether the kernel is one of these.
bool is_fused_cg_kernel(std::string_view name);

/// The launch of a step with one of these kernels. `vectors` are its operands, 16-byte aligned.
/// `finish` has memory for as many partial sums as the device holds thread blocks; `parts` is set
/// here. CGDirection may send its v to other devices (`halo_push`); `finish` is then active.
template <class T>
Launch fused_cg_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                       const Gate& gate, const BlockFinish& finish, const LaunchShape& shape,
                       const HaloPush<T>& push = {});

}  // namespace sparsecast::cuda
