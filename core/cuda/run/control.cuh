#pragma once

#include <cstdint>

#include "core/cuda/device/check.cuh"
#include "core/cuda/run/run_state.cuh"

/// @file
/// Kernels for what happens between others.

namespace sparsecast::cuda {

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
