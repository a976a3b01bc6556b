#pragma once

#include <cstdint>

#include "cli/commands/bench/blocks/block_measurement.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"

namespace sparsecast::cli {

/// Times y = y + a*x of so many values ("SAXPY") on a back end, as solvers run it; fills in flops
/// and bytes. Throws as `Backend::prepare_vectors_f32` does.
template <class T>
Timing time_saxpy(Backend& backend, std::int64_t values, double max_seconds, BlockMeasurement& m);

/// The same of a dot product in two kernels (`TwoKernelDot`), 2 n - 1 useful flops. Throws as that
/// does.
template <class T>
Timing time_dot(const GpuPart& gpu, std::int64_t values, int values_per_block, double max_seconds,
                BlockMeasurement& m);

}  // namespace sparsecast::cli
