#pragma once

#include <cstdint>
#include <span>

#include "core/cuda/several/halo_push.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

namespace sparsecast::cuda {

/// Sums that the kernel for a pass with so many dot products has room for.
int pass_sums(int dots);

/// The launch of a step with a pass. `vectors` are its operands, 16-byte aligned. `finish` has
/// memory for as many partial sums as the device holds thread blocks, of `pass_sums` scalars;
/// `parts` is set here. One without sums may send a vector that it assigns, in place `sent`, to
/// other devices; `finish` is then active.
template <class T>
Launch pass_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                   const Gate& gate, const BlockFinish& finish, const LaunchShape& shape,
                   const HaloPush<T>& push = {}, int sent = 0);

}  // namespace sparsecast::cuda
