#include "core/cuda/run/control.cuh"

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/link_operations.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int finish_threads = 512;

/// All threads of the block together. `goes_on`: of thread 0, whether to carry out anything.
__device__ void run_program(const ControlProgram& program, const RunMemory& memory, double* scalars,
                            bool goes_on) {
  if (threadIdx.x != 0 || !goes_on) return;
  run_operations({program.operations, program.count}, *memory.state, scalars, memory.runs);
}

/// The same of a list of any length, which is copied to shared memory piece by piece.
__device__ void run_program(const ControlList& program, const RunMemory& memory, double* scalars,
                            bool goes_on) {
  constexpr int piece = 128;
  constexpr int words = sizeof(ControlOperation) / sizeof(int);
  __shared__ alignas(ControlOperation) int copy[piece * words];
  __shared__ bool next;
  const auto* from = reinterpret_cast<const int*>(program.operations);
  if (threadIdx.x == 0) next = goes_on;
  for (int first = 0; first < program.count; first += piece) {
    __syncthreads();
    if (!next) return;
    const int count = min(piece, program.count - first);
    for (int i = static_cast<int>(threadIdx.x); i < count * words; i += finish_threads) {
      copy[i] = __ldg(from + first * words + i);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      next = run_operations({reinterpret_cast<const ControlOperation*>(copy), count}, *memory.state,
                            scalars, memory.runs);
    }
  }
}

template <class Program>
__global__ void __launch_bounds__(finish_threads)
    finish(RunMemory memory, DeviceTest guard, const double* partials, std::int64_t count, int slot,
           const __grid_constant__ Program program) {
  if (slot == no_sum) wait_for_kernel_before();
  if (memory.state->ended != 0) return;
  extern __shared__ double scalars[];
  for (int i = static_cast<int>(threadIdx.x); i < memory.scalar_count; i += finish_threads) {
    scalars[i] = memory.scalars[i];
  }
  __syncthreads();
  const bool meets = slot != no_sum && guard.holds(scalars);
  const bool reduces = meets && slot != only_meet;
  double sum[1] = {};
  bool complete = true;
  SumTurn turn;
  if (meets && memory.links.count > 1) turn = next_sum(memory.links);
  if (reduces) {
    for (std::int64_t i = threadIdx.x; i < count; i += finish_threads) sum[0] += partials[i];
    block_sums<finish_threads>(sum);
  }
  if (meets && memory.links.count > 1 && threadIdx.x < warp_size) {
    complete = add_over_devices(memory.links, turn, sum);
  }
  if (threadIdx.x == 0 && complete && reduces) scalars[slot] = sum[0];
  run_program(program, memory, scalars, complete);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < memory.scalar_count; i += finish_threads) {
    memory.scalars[i] = scalars[i];
  }
}

__global__ void begin(RunState* state, std::int64_t limit) {
  *state = {0, 0, 0, limit};
}

template <class Program>
void launch(cudaStream_t stream, const RunMemory& memory, const DeviceTest& guard,
            const double* partials, std::int64_t count, int slot, const Program& program) {
  const std::size_t shared = static_cast<std::size_t>(memory.scalar_count) * sizeof(double);
  if (slot == no_sum) {
    // Behind the sums of NCCL each microsecond counts.
    launch_early_with_shared(shared, finish<Program>, 1, finish_threads, stream, memory, guard,
                             partials, count, slot, program);
    return;
  }
  finish<<<1, finish_threads, shared, stream>>>(memory, guard, partials, count, slot, program);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void launch_finish(cudaStream_t stream, const RunMemory& memory, const DeviceTest& guard,
                   const double* partials, std::int64_t count, int slot,
                   const ControlProgram& program) {
  launch(stream, memory, guard, partials, count, slot, program);
}

void launch_finish(cudaStream_t stream, const RunMemory& memory, const DeviceTest& guard,
                   const double* partials, std::int64_t count, int slot,
                   const ControlList& program) {
  launch(stream, memory, guard, partials, count, slot, program);
}

void launch_begin(cudaStream_t stream, const RunMemory& memory, std::int64_t limit) {
  begin<<<1, 1, 0, stream>>>(memory.state, limit);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

}  // namespace sparsecast::cuda
