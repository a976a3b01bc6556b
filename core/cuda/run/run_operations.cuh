#pragma once

#include <cstdint>

#include "core/cuda/run/run_state.cuh"

/// @file
/// How kernels read and change what a run knows of itself: each looks before it does anything; one
/// thread carries out what happens between kernels, for every kernel that ends with it.

namespace sparsecast::cuda {

/// One more run of a step, without waiting for how many there were.
inline __device__ void count_run(std::int64_t& runs) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&runs), 1ull);
}

/// Whether a kernel is to do its work; to be asked once, by all threads. Counts that the step runs,
/// by `count(runs)`.
template <class Count>
__device__ bool enters(const Gate& gate, const Count& count) {
  const std::int32_t ended = gate.state->ended;  // on its way together with the guard's scalars
  if (!gate.guard.holds(gate.scalars) || ended != 0) return false;
  if (gate.runs != nullptr && blockIdx.x == 0 && threadIdx.x == 0) {
    count(*gate.runs);
    gate.state->kernel_ran = 1;
  }
  return true;
}
inline __device__ bool enters(const Gate& gate) {
  return enters(gate, [](std::int64_t& runs) { ++runs; });
}

inline __device__ void carry_out(const ControlOperation& operation, double* scalars) {
  const auto value = [scalars](int slot) { return slot < 0 ? 0 : scalars[slot]; };
  double& target = scalars[operation.target];
  target = scalar_result(operation.operation, target, value(operation.a), value(operation.b),
                         value(operation.c));
}

inline __device__ void end(RunState& state, Outcome outcome) {
  state.ended = 1 + static_cast<int>(outcome);
}

/// Carries out a test of a check; true: the run has ended.
inline __device__ bool stops(double a, Comparison comparison, double b, Outcome outcome,
                             RunState& state) {
  const bool finite = isfinite(a) && isfinite(b);
  if (finite && !(comparison == Comparison::less ? a < b : a <= b)) return false;
  end(state, finite ? outcome : Outcome::not_finite);
  state.iterations += state.kernel_ran != 0 ? 1 : 0;
  return true;
}

/// How far a run is, on its way before it is needed.
struct RunProgress {
  std::int64_t iterations = 0;
  std::int64_t limit = 0;
};

/// An iteration is complete behind this progress; true: so is the run.
inline __device__ bool ends_iteration(RunState& state, const RunProgress& before) {
  state.kernel_ran = 0;
  state.iterations = before.iterations + 1;
  if (before.iterations + 1 != before.limit) return false;
  end(state, Outcome::iteration_limit);
  return true;
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
      case ControlOperation::Kind::stop:
        if (stops(scalars[operation.test.a], operation.test.comparison, scalars[operation.test.b],
                  operation.outcome, state)) {
          return false;
        }
        break;
      case ControlOperation::Kind::count:
        ++runs[operation.step];
        break;
      case ControlOperation::Kind::end_iteration:
        if (ends_iteration(state, {state.iterations, state.limit})) return false;
        break;
    }
  }
  return true;
}

}  // namespace sparsecast::cuda
