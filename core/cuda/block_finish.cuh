#pragma once

#include <cstdint>

#include "core/cuda/block_sum.cuh"
#include "core/cuda/control.cuh"
#include "core/cuda/run_state.cuh"

/// @file
/// How a kernel ends with sums over all its rows and with what follows them (assignments and
/// checks), in one launch: every block writes its partial sums to memory and takes a ticket; the
/// block with the last one adds the parts, in an order that does not depend on who is last, stores
/// the sums in the scalars and carries out the control program.
///
/// A kernel uses it so:
///
///     if (!gate.enter()) return;
///     double sums[2] = {};
///     ...                                          // every thread adds to its own
///     if (finish.active()) finish_block<threads>(finish, sums);   // all threads of all blocks
///
/// With no sums (`finish_block<threads>(finish)`) it may be called as soon as all threads of the
/// block have read scalars and state, so that the program runs beside the rest of the kernel.
///
/// Nothing of a run may be read behind it. The arrays are left ready for the next launch.

namespace sparsecast::cuda {

struct BlockFinish {
  static constexpr int most_sums = 2;
  /// Scalars of a schedule with kernels that sum.
  static constexpr int most_scalars = 64;

  RunMemory memory;
  const ControlProgram* program = nullptr;  ///< in device memory; null: no operations
  /// One a block, then as many more as the kernel wants (0 where it never writes); of the second
  /// sum behind those of the first.
  double* partials = nullptr;
  std::int64_t parts = 0;           ///< partial sums of one scalar
  std::int32_t* tickets = nullptr;  ///< taken so far; null: nothing to finish
  std::int16_t slots[most_sums] = {-1, -1};

  __host__ __device__ bool active() const { return tickets != nullptr; }
};

/// Whether this block is the last of the grid to come here, asked by all threads. What the threads
/// of all blocks wrote before is then visible to all threads of the last.
__device__ inline bool last_block(std::int32_t* tickets) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(tickets, 1) == static_cast<std::int32_t>(gridDim.x) - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// The last block's part. `sums`: of the partials, known to thread 0.
template <int threads, int count>
__device__ void end_kernel(const BlockFinish& finish, const double* sums) {
  __shared__ double scalars[BlockFinish::most_scalars];
  constexpr int words = sizeof(ControlProgram) / sizeof(int);
  __shared__ alignas(ControlProgram) int program_words[words];
  const auto& program = *reinterpret_cast<const ControlProgram*>(program_words);
  const int thread = static_cast<int>(threadIdx.x);
  const RunMemory& memory = finish.memory;
  if (finish.program != nullptr) {
    for (int i = thread; i < memory.scalar_count; i += threads) {
      scalars[i] = __ldcg(memory.scalars + i);
    }
    const auto* from = reinterpret_cast<const int*>(finish.program);
    for (int i = thread; i < words; i += threads) program_words[i] = __ldg(from + i);
  }
  __syncthreads();
  if (thread == 0) {
    *finish.tickets = 0;
    for (int k = 0; k < count; ++k) {
      (finish.program != nullptr ? scalars : memory.scalars)[finish.slots[k]] = sums[k];
    }
    if (finish.program != nullptr) run_operations(program, *memory.state, scalars, memory.runs);
  }
  if (finish.program == nullptr) return;
  __syncthreads();
  for (int i = thread; i < memory.scalar_count; i += threads) memory.scalars[i] = scalars[i];
}

template <int threads, int count>
__device__ void finish_block(const BlockFinish& finish, double (&sums)[count]) {
  static_assert(count <= BlockFinish::most_sums);
  block_sums<threads>(sums);
  if (threadIdx.x == 0) {
    for (int k = 0; k < count; ++k) finish.partials[k * finish.parts + blockIdx.x] = sums[k];
  }
  if (!last_block(finish.tickets)) return;
  constexpr int at_once = 8;
  for (int k = 0; k < count; ++k) {
    const double* partials = finish.partials + k * finish.parts;
    double sum = 0;
    for (std::int64_t first = threadIdx.x; first < finish.parts; first += at_once * threads) {
      double part[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const std::int64_t index = first + i * threads;
        part[i] = index < finish.parts ? __ldcg(partials + index) : 0;
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) sum += part[i];
    }
    sums[k] = sum;
  }
  block_sums<threads>(sums);
  end_kernel<threads, count>(finish, sums);
}

/// Of a kernel that sums nothing.
template <int threads>
__device__ void finish_block(const BlockFinish& finish) {
  if (last_block(finish.tickets)) end_kernel<threads, 0>(finish, nullptr);
}

}  // namespace sparsecast::cuda
