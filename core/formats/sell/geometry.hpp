#pragma once

#include "core/base/host_device.hpp"
#include "core/base/precision.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// How the CUDA kernel of SELL shares rows, as plain numbers (`core/formats/sell/cuda/kernel.cuh`).

namespace sparsecast {

/// A warp takes a slice.
inline constexpr int sell_threads = 256;

/// Values that a lane loads before it uses the first, and thread blocks that a multiprocessor has
/// registers for (`__launch_bounds__`); chosen by measurement on an H100.
template <class T>
inline constexpr int sell_values_at_once = sizeof(T) == 4 ? 8 : 4;
template <class T>
inline constexpr int sell_resident_blocks = sizeof(T) == 4 ? 5 : 6;

/// Rows of a lane, of slices of more than 32.
SPARSECAST_HOST_DEVICE constexpr int sell_rows_of_lane(int slice_height) {
  return slice_height > 32 ? slice_height / 32 : 1;
}

/// How a segment of so many rows is multiplied.
SpmvExecution sell_execution(const SegmentShape& shape, const Layout& layout);

/// What these kernels load before they wait.
ProductGeometry sell_geometry(const Layout& layout, Precision precision);

}  // namespace sparsecast
