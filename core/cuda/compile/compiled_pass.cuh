#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/cuda/compile/pass_arguments.cuh"
#include "core/cuda/device/kernel_data.cuh"
#include "core/cuda/several/halo_push.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/schedule/schedule.hpp"

namespace sparsecast::cuda {

/// What the kernel of a compiled pass works on and with.
template <class T>
struct PassTask {
  /// With a pass; null: operations alone, by one thread block.
  const Step* step = nullptr;
  std::span<T* const> vectors;  ///< the step's, 16-byte aligned
  std::int64_t size = 0;        ///< rows
  Gate gate;
  RunMemory memory;
  /// Room for as many parts of each sum as a finishing kernel has blocks at most.
  double* partials = nullptr;
  std::int32_t* tickets = nullptr;
  /// Of a pass without sums and blocks, with operations behind it: what it sends, from place `sent`
  /// of `vectors`.
  HaloPush<T> push;
  int sent = -1;
};

/// A pass as a kernel that is compiled for it, which ends with its sums and any operations: for the
/// current device; what it reads is added to `data`. It is compiled while others are; the first
/// launch waits for it, and throws what `compile` throws. Nothing if there is no NVRTC that knows
/// the device, and for more operations than are worth it: then there are kernels that read what
/// they are to do.
template <class T>
std::optional<Launch> compile_pass(const PassTask<T>& task,
                                   std::span<const ControlOperation> operations,
                                   const LaunchShape& shape, KernelData& data);

}  // namespace sparsecast::cuda
