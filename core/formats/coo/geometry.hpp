#pragma once

#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/product_part.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// How the CUDA kernels of COO share entries, as plain numbers
/// (`core/formats/coo/cuda/coo_part.cu`).

namespace sparsecast {

inline constexpr int coo_threads = 256;

/// Steps of 32 entries that a warp loads before it uses the first.
inline constexpr int coo_steps_at_once = 4;

/// Entries that a warp takes: two passes.
inline constexpr int coo_entries_of_interval = 2 * coo_steps_at_once * 32;

/// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
inline constexpr int coo_resident_blocks = 8;

/// How entries of so many rows are added up.
SpmvExecution coo_execution(double entries, double rows);

/// What the kernel loads before it waits: priced as that of CSR-Adaptive, which takes entries of
/// any rows, too. A product of COO ends with no sums.
ProductGeometry coo_geometry();

/// Passes of all warps.
double coo_passes(double entries);

/// Entries that are added to what is there, as a part of a product whose access pattern and loads
/// are these: of all entries of the product, those of the part look up their share. A further
/// launch adds up what crosses intervals.
ProductPart coo_part(const SegmentShape& shape, const AccessPattern& of_product,
                     const WarpLoads& of_product_loads);

}  // namespace sparsecast
