#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/product_part.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What the CUDA back end does with a matrix: storage and launches, decided on the host from plain
/// numbers. The back end asks the same functions, so that predictions know it of matrices that
/// nobody has uploaded.

namespace sparsecast {

struct MatrixFeatures;

/// The size of a matrix as one segment in the storage of the CUDA back end, the paper's padding and
/// narrow columns included: what `segments()` of a prepared schedule says (but of `vendor`'s, whose
/// library has its own storage). Counts blocks where padding depends on their order.
template <class T>
SegmentShape cuda_shape(const CsrView<T>& matrix, const MatrixFeatures& features,
                        const MatrixAccess& access, const Layout& layout, const CudaPolicy& policy);

/// The same from what was counted of a matrix alone. Throws `Error` for a layout of a format that
/// is not among it: one for comparisons that counts something itself.
SegmentShape cuda_shape(const MatrixFeatures& features, const MatrixAccess& access,
                        const Layout& layout, const CudaPolicy& policy);

/// Throws `Error` for a layout whose products nobody forecasts (`Format::execution`), and for one
/// without kernels.
void require_forecast(const Layout& layout);

/// How a matrix of this size is multiplied, without its long rows (`Format::execution`).
SpmvExecution spmv_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy);

/// The same with long rows, from all block rows' lengths.
SpmvExecution spmv_execution(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy,
                             std::span<const RowLengthCount> row_lengths);

/// Whether GPUs keep the columns of such a matrix in 16 bits: the format does, and all lie so near.
bool keeps_narrow_columns(const MatrixAccess& access, const Layout& layout,
                          const CudaPolicy& policy);

/// What the kernels load that multiply it so (`Format::geometry`). Nothing stored is taken for CSR.
/// Throws `Error` for a layout without kernels.
ProductGeometry product_geometry(const SegmentShape& shape, const Layout& layout,
                                 Precision precision, const SpmvExecution& execution);

/// The kernels of a product that takes several (`Format::parts`); none of one that takes one.
/// Throws like `product_geometry`.
std::vector<ProductPart> product_parts(const SegmentShape& shape, const AccessPattern& pattern,
                                       const Layout& layout, Precision precision,
                                       const SpmvExecution& execution);

}  // namespace sparsecast
