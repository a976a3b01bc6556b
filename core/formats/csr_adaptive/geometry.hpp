#pragma once

#include <cstdint>

#include "core/formats/csr_adaptive/row_blocks.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// How the CUDA kernel of CSR-Adaptive multiplies row blocks, as plain numbers
/// (`core/formats/csr_adaptive/cuda/kernel.cuh`).

namespace sparsecast {

/// Of a thread block, which takes a row block. Chosen by measurement on an H100: more entries at a
/// time are slower on graphs, fewer threads too.
inline constexpr int adaptive_threads = 32 * row_block_warps;
/// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
inline constexpr int adaptive_resident_blocks = 8;

/// How a segment of this size is multiplied, of which so many are row blocks.
SpmvExecution adaptive_execution(const SegmentShape& shape, std::int64_t row_blocks);

/// What this kernel loads before it waits: a warp its share of a row block at once.
ProductGeometry adaptive_geometry();

}  // namespace sparsecast
