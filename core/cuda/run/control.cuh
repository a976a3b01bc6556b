#pragma once

#include <cstdint>

#include "core/cuda/device/check.cuh"
#include "core/cuda/run/run_state.cuh"

/// @file
/// How one thread carries out what happens between kernels, for every kernel that ends with it.

namespace sparsecast::cuda {

inline __device__ void carry_out(const ControlOperation& operation, double* scalars) {
  const auto value = [scalars](int slot) { return slot < 0 ? 0 : scalars[slot]; };
  double& target = scalars[operation.target];
  target = scalar_result(operation.operation, target, value(operation.a), value(operation.b),
                         value(operation.c));
}

inline __device__ void end(RunState& state, Outcome outcome) {
  state.ended = 1 + static_cast<int>(outcome);
}

/// Carries out the operations in order, up to the first that ends the run; false: it has ended. By
/// one thread; `scalars` and `program` may be copies in shared memory. `runs`: per step of the
/// list.
inline __device__ bool run_operations(const ControlList& program, RunState& state, double* scalars,
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
          return false;
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
          return false;
        }
        break;
    }
  }
  return true;
}

/// For a slot: operations only; or after all devices have met.
inline constexpr int no_sum = -1;
inline constexpr int only_meet = -2;

/// Adds `count` partial sums of each device in a fixed order into a scalar, if the gate's guard
/// holds, and carries out the operations, unless the run has ended.
void launch_finish(cudaStream_t stream, const RunMemory& memory, const DeviceTest& guard,
                   const double* partials, std::int64_t count, int slot,
                   const ControlProgram& program);

/// The same with any number of operations, in device memory.
void launch_finish(cudaStream_t stream, const RunMemory& memory, const DeviceTest& guard,
                   const double* partials, std::int64_t count, int slot,
                   const ControlList& program);

/// A run of at most `limit` iterations begins.
void launch_begin(cudaStream_t stream, const RunMemory& memory, std::int64_t limit);

}  // namespace sparsecast::cuda
