#pragma once

#include <cstdint>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/link_operations.cuh"
#include "core/cuda/vector/block_finish.cuh"

/// @file
/// How a kernel ends with sums over all its rows and with what follows them (assignments and
/// checks), in one launch: every block writes its partial sums to memory and takes a ticket; the
/// block with the last one adds the parts, in an order that does not depend on who is last, adds up
/// over all devices of the run, stores the sums in the scalars and carries out the control program.
///
/// A kernel uses it so:
///
///     if (!enters(gate)) return;
///     double sums[2] = {};
///     ...                                          // every thread adds to its own
///     if (finish.active()) finish_block<threads>(finish, sums);   // all threads of all blocks
///
/// A kernel of more blocks than run at a time, none of which may wait for another but for those
/// before it, ends with `finish_in_order` in its place: there a block does not wait for what it
/// wrote to be seen, which a ticket takes.
///
/// With no sums (`finish_block<threads>(finish)`) it may be called as soon as all threads of the
/// block have read scalars and state, so that the program runs beside the rest of the kernel.
///
/// Nothing of a run may be read behind it. The arrays are left ready for the next launch.

namespace sparsecast::cuda {

/// By one thread of a block, behind a barrier: how many blocks have taken a ticket earlier.
/// Releases what the block wrote, acquires what the others did.
__device__ inline int take_ticket(std::int32_t* tickets) {
  int earlier = 0;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;"
               : "=r"(earlier)
               : "l"(tickets)
               : "memory");
  return earlier;
}

/// Whether the ticket that thread 0 has taken is the grid's last, asked by all threads.
__device__ inline bool is_last_ticket(int earlier) {
  __shared__ bool last;
  if (threadIdx.x == 0) last = earlier == static_cast<int>(gridDim.x) - 1;
  __syncthreads();
  return last;
}

/// Whether this block is the last of the grid to come here, asked by all threads. What the threads
/// of all blocks wrote before is then visible to all threads of the last.
__device__ inline bool last_block(std::int32_t* tickets) {
  __syncthreads();
  return is_last_ticket(threadIdx.x == 0 ? take_ticket(tickets) : 0);
}

/// A thread's share of the partial sums that all blocks have written; of each sum it loads so many
/// at once.
template <int threads, int at_once, int count>
__device__ void add_written_parts(const BlockFinish& finish, double (&sums)[count]) {
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t first = thread; first < finish.parts; first += at_once * threads) {
    double part[count][at_once];
#pragma unroll
    for (int k = 0; k < count; ++k) {
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const std::int64_t index = first + i * threads;
        part[k][i] = index < finish.parts ? __ldcg(finish.partials + k * finish.parts + index) : 0;
      }
    }
#pragma unroll
    for (int k = 0; k < count; ++k) {
#pragma unroll
      for (int i = 0; i < at_once; ++i) sums[k] += part[k][i];
    }
  }
}

/// The last block's part, all threads together: scalars and program are on their way while
/// `add_parts(sums)` adds a thread's share of the partial sums.
template <int threads, int count, class AddParts>
__device__ void end_kernel(const BlockFinish& finish, const AddParts& add_parts) {
  __shared__ double scalars[BlockFinish::most_scalars];
  constexpr int words = sizeof(ControlProgram) / sizeof(int);
  __shared__ alignas(ControlProgram) int program_words[words];
  const int thread = static_cast<int>(threadIdx.x);
  const RunMemory& memory = finish.memory;
  const bool operates = finish.program != nullptr;
  SumTurn turn;
  if (count > 0 && memory.links.count > 1) turn = next_sum(memory.links);

  static_assert(threads >= BlockFinish::most_scalars);
  constexpr int words_each = (words + threads - 1) / threads;
  int word[words_each];
  double scalar = 0;
  if (operates) {
    const auto* from = reinterpret_cast<const int*>(finish.program);
#pragma unroll
    for (int i = 0; i < words_each; ++i) {
      const int index = thread + i * threads;
      word[i] = index < words ? __ldg(from + index) : 0;
    }
    if (thread < memory.scalar_count) scalar = __ldcg(memory.scalars + thread);
  }
  double sums[count > 0 ? count : 1] = {};
  add_parts(sums);
  if (operates) {
#pragma unroll
    for (int i = 0; i < words_each; ++i) {
      const int index = thread + i * threads;
      if (index < words) program_words[index] = word[i];
    }
    if (thread < memory.scalar_count) scalars[thread] = scalar;
  }
  bool complete = true;
  if constexpr (count > 0) {
    block_sums<threads>(sums);  // waits for what is in shared memory, too
    if (memory.links.count > 1 && thread < warp_size) {
      complete = add_over_devices(memory.links, turn, sums);
    }
  } else {
    __syncthreads();
  }
  if (thread == 0) *finish.tickets = 0;
  if (thread == 0 && complete) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      // Passes alone have room for a sum that there may not be.
      if (count > 2 && finish.slots[k] < 0) continue;
      (operates ? scalars : memory.scalars)[finish.slots[k]] = sums[k];
    }
    if (operates) {
      const auto& program = *reinterpret_cast<const ControlProgram*>(program_words);
      run_operations({program.operations, program.count}, *memory.state, scalars, memory.runs);
    }
  }
  if (!operates) return;
  __syncthreads();
  if (thread < memory.scalar_count) memory.scalars[thread] = scalars[thread];
}

/// The same of a kernel that sums nothing.
template <int threads>
__device__ void end_kernel(const BlockFinish& finish) {
  end_kernel<threads, 0>(finish, [](double(&)[1]) {});
}

template <int threads, int count>
__device__ void finish_block(const BlockFinish& finish, double (&sums)[count]) {
  static_assert(count <= BlockFinish::most_sums);
  block_sums<threads>(sums);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < count; ++k) finish.partials[k * finish.parts + blockIdx.x] = sums[k];
  }
  if (last_block(finish.tickets)) {
    constexpr int at_once = count <= 2 ? 8 : 4;
    end_kernel<threads, count>(
        finish, [&](double(&parts)[count]) { add_written_parts<threads, at_once>(finish, parts); });
  }
}

/// Of a kernel that sums nothing.
template <int threads>
__device__ void finish_block(const BlockFinish& finish) {
  if (last_block(finish.tickets)) end_kernel<threads>(finish);
}

/// A partial sum that is 0 in memory until it is there (a sum of 0 is written as -0), and again
/// when it has been taken.
__device__ inline void publish_part(double* to, double sum) {
  const double shown = sum == 0 ? -0.0 : sum;
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(to), "d"(shown) : "memory");
}
__device__ inline double take_part(double* from) {
  long long bits = 0;
  do {
    asm volatile("ld.relaxed.gpu.global.s64 %0, [%1];" : "=l"(bits) : "l"(from) : "memory");
  } while (bits == 0);
  *from = 0;
  return __longlong_as_double(bits);
}

/// Partial sums that `finish_in_order` of so many blocks needs room for.
template <int threads>
constexpr std::int64_t ordered_parts(std::int64_t blocks) {
  return blocks + (blocks + threads - 1) / threads;
}

/// The part in `finish_in_order` of a block that adds up what others have published; not inlined,
/// for it would take registers from kernels that have few.
template <int threads>
__device__ __noinline__ void add_published_parts(const BlockFinish& finish) {
  const auto block = static_cast<int>(blockIdx.x);
  const auto thread = static_cast<int>(threadIdx.x);
  const int group = block / threads;
  double* groups = finish.partials + gridDim.x;
  double sums[1] = {
      thread <= block % threads ? take_part(finish.partials + group * threads + thread) : 0};
  __syncthreads();  // for shared memory that block_sums still holds
  if (block != static_cast<int>(gridDim.x) - 1) {
    block_sums<threads>(sums);
    if (thread == 0) publish_part(groups + group, sums[0]);
    return;
  }
  end_kernel<threads, 1>(finish, [&](double(&parts)[1]) {
    parts[0] = sums[0];
    for (int i = thread; i < group; i += threads) parts[0] += take_part(groups + i);
  });
}

/// Ends a kernel of any number of blocks with one sum: the last of each `threads` neighbouring
/// blocks adds theirs up, the grid's last block these sums. A block waits for blocks in front of it
/// only, which have begun before it.
template <int threads>
__device__ void finish_in_order(const BlockFinish& finish, double sum) {
  double sums[1] = {sum};
  block_sums<threads>(sums);
  const unsigned block = blockIdx.x;
  if (threadIdx.x == 0) publish_part(finish.partials + block, sums[0]);
  if (block % threads == threads - 1 || block == gridDim.x - 1) {
    add_published_parts<threads>(finish);
  }
}

}  // namespace sparsecast::cuda
