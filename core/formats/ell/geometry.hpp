#pragma once

#include <cstdint>

#include "core/workload/gpu_execution.hpp"

/// @file
/// How the CUDA kernel of ELL shares rows, as plain numbers (`core/formats/ell/cuda/ell_part.cu`).

namespace sparsecast {

/// A thread takes a row.
inline constexpr int ell_threads = 256;

/// Entries of a row that a thread loads before it uses the first.
inline constexpr int ell_entries_at_once = 4;

/// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
inline constexpr int ell_resident_blocks = 8;
inline constexpr int ell_resident_blocks_with_sums = 6;

/// How a segment of so many rows is multiplied.
SpmvExecution ell_execution(double rows);

/// What this kernel loads before it waits: priced as SELL's, which differs by its columns.
ProductGeometry ell_geometry();

/// Passes of all warps.
double ell_passes(double rows, std::int64_t width);

}  // namespace sparsecast
