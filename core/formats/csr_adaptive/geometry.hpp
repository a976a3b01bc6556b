#pragma once

/// @file
/// How the CUDA kernel of CSR-Adaptive multiplies a row block, as plain numbers
/// (`core/formats/csr_adaptive/cuda/kernel.cuh`).

namespace sparsecast {

/// Of a thread block, which takes a row block. Chosen by measurement on an H100: more entries at a
/// time are slower on graphs, fewer threads too.
inline constexpr int adaptive_threads = 256;
/// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
inline constexpr int adaptive_resident_blocks = 8;

}  // namespace sparsecast
