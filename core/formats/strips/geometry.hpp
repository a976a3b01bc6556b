#pragma once

#include "core/base/precision.hpp"
#include "core/formats/strips/strips.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// How the CUDA kernel of strips shares block rows, as plain numbers
/// (`core/formats/strips/cuda.cu`).

namespace sparsecast {

/// A thread takes a block row, a block at a time.
inline constexpr int strip_threads = 256;

/// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
template <class T, StripContent content, bool finishes>
inline constexpr int strip_resident_blocks = sizeof(T) == 8                  ? 5
                                             : !finishes                     ? 8
                                             : content == StripContent::rows ? 5
                                                                             : 6;

SpmvExecution strip_execution(const SegmentShape& shape);

/// What this kernel loads before it waits: priced as that of BCSR.
ProductGeometry strip_geometry(StripContent content, Precision precision);

}  // namespace sparsecast
