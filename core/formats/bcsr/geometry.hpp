#pragma once

#include "core/base/precision.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// How our GPU kernels multiply CSR and BCSR of this size, without long rows.
SpmvExecution bcsr_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy);

/// What these kernels load before they wait (`core/formats/bcsr/spmv_geometry.hpp`).
ProductGeometry bcsr_geometry(const Layout& layout, Precision precision,
                              const SpmvExecution& execution);

}  // namespace sparsecast
