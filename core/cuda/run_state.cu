#include "core/cuda/block_sum.cuh"
#include "core/cuda/run_state.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int finish_threads = 512;

__device__ void carry_out(const ControlOperation& operation, double* scalars) {
  const double a = scalars[operation.a];
  double& target = scalars[operation.target];
  switch (operation.operation) {
    case ScalarOperation::copy:
      target = a;
      break;
    case ScalarOperation::divide:
      target = a / scalars[operation.b];
      break;
    case ScalarOperation::square_root:
      target = sqrt(a);
      break;
    case ScalarOperation::minimum:
      target = a < scalars[operation.b] ? a : scalars[operation.b];
      break;
    case ScalarOperation::count_unless_smaller:
      target = a < scalars[operation.b] ? 0 : target + 1;
      break;
  }
}

__device__ void end(RunState& state, Outcome outcome) {
  state.ended = 1 + static_cast<int>(outcome);
}

__device__ void run_operations(const ControlProgram& program, RunState& state, double* scalars,
                               std::int64_t* runs) {
  for (int k = 0; k < program.count; ++k) {
    const ControlOperation& operation = program.operations[k];
    if (!operation.guard.holds(scalars)) continue;
    switch (operation.kind) {
      case ControlOperation::Kind::assign:
        carry_out(operation, scalars);
        break;
      case ControlOperation::Kind::stop: {
        const bool finite =
            isfinite(scalars[operation.test.a]) && isfinite(scalars[operation.test.b]);
        if (!finite || operation.test.holds(scalars)) {
          end(state, finite ? operation.outcome : Outcome::not_finite);
          state.iterations += state.kernel_ran != 0 ? 1 : 0;
          return;
        }
        break;
      }
      case ControlOperation::Kind::count:
        ++runs[operation.step];
        break;
      case ControlOperation::Kind::end_iteration:
        state.kernel_ran = 0;
        if (++state.iterations == state.limit) {
          end(state, Outcome::iteration_limit);
          return;
        }
        break;
    }
  }
}

__global__ void __launch_bounds__(finish_threads)
    finish(RunMemory memory, DeviceTest guard, const double* partials, std::int64_t count, int slot,
           const __grid_constant__ ControlProgram program) {
  if (memory.state->ended != 0) return;
  extern __shared__ double scalars[];
  for (int i = static_cast<int>(threadIdx.x); i < memory.scalar_count; i += finish_threads) {
    scalars[i] = memory.scalars[i];
  }
  __syncthreads();
  const bool reduces = slot >= 0 && guard.holds(scalars);
  double sum = 0;
  if (reduces) {
    for (std::int64_t i = threadIdx.x; i < count; i += finish_threads) sum += partials[i];
    sum = block_sum<finish_threads>(sum);
  }
  if (threadIdx.x == 0) {
    if (reduces) scalars[slot] = sum;
    run_operations(program, *memory.state, scalars, memory.runs);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < memory.scalar_count; i += finish_threads) {
    memory.scalars[i] = scalars[i];
  }
}

__global__ void begin(RunState* state, std::int64_t limit) {
  *state = {0, 0, 0, limit};
}

}  // namespace

void launch_finish(cudaStream_t stream, const RunMemory& memory, const DeviceTest& guard,
                   const double* partials, std::int64_t count, int slot,
                   const ControlProgram& program) {
  const std::size_t shared = static_cast<std::size_t>(memory.scalar_count) * sizeof(double);
  finish<<<1, finish_threads, shared, stream>>>(memory, guard, partials, count, slot, program);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

void launch_begin(cudaStream_t stream, const RunMemory& memory, std::int64_t limit) {
  begin<<<1, 1, 0, stream>>>(memory.state, limit);
  SPARSECAST_CUDA_CHECK(cudaGetLastError());
}

}  // namespace sparsecast::cuda
