#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/cuda/block_finish.cuh"
#include "core/cuda/exchange.cuh"
#include "core/cuda/pack.cuh"
#include "core/cuda/vector_kernels.cuh"

/// @file
/// CGStart, CGResidual and CGDirection: kernels that work on vectors row by row, and end with sums
/// and what follows them. `core/cpu_kernels.hpp` has their arithmetic.

namespace sparsecast::cuda {

inline constexpr int fused_threads = 256;
/// 16-byte packs of each operand that a thread has under way.
inline constexpr int fused_packs = 2;

/// Rows that a thread block takes at a time.
template <class T>
constexpr std::int64_t fused_rows_per_part() {
  return fused_threads * fused_packs * Pack<T>::size;
}

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
