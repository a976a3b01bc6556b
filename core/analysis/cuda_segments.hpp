#pragma once

#include <span>
#include <vector>

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_work.hpp"

namespace sparsecast {

/// What each of several GPUs does with a square matrix: its segment as the CUDA back end cuts,
/// stores and multiplies it (`core/analysis/cuda_execution.hpp`), and what it exchanges in a mode,
/// which is not `automatic`. Columns must rise within rows. O(nonzeros), on `threads` threads (0:
/// all).
template <class T>
std::vector<SegmentWork> cuda_segments(const CsrView<T>& matrix, const Layout& layout, int devices,
                                       Precision precision, const GpuShape& gpu,
                                       const CudaPolicy& policy, ExchangeMode mode,
                                       int threads = 0);

/// Gives segments of a layout and precision, as they were read, the geometry that their text leaves
/// out. Throws `Error` for a layout without kernels.
void fill_geometry(std::span<SegmentWork> segments, const Layout& layout, Precision precision);

}  // namespace sparsecast
