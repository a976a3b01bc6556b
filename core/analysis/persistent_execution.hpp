#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/matrix_access.hpp"
#include "core/analysis/persistent_cut.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What a persistent kernel of a solver would do with a matrix.

namespace sparsecast {

struct MatrixFeatures;  // core/analysis/features.hpp

/// Of a matrix that was cut so; `segment` is its size in the cut's blocks.
PersistentExecution persistent_execution(const PersistentCut& cut, const SegmentShape& segment,
                                         int value_bytes, const GpuShape& gpu,
                                         const CudaPolicy& policy);

/// Whether forecasts name this layout for persistent kernels: it is one of theirs, and not one
/// that they keep as another.
bool is_persistent_layout(const Layout& layout);

/// The block sizes in which there are persistent kernels (`persistent_block_size`).
std::vector<int> persistent_block_sizes();

/// The size of a matrix in one of them.
SegmentShape persistent_segment(const MatrixFeatures& features, int block_size);

/// What the size of a matrix says already, so that nothing needs to be cut: that thread blocks have
/// too many rows for their shared memory. Nothing where it does not.
std::optional<PersistentExecution> persistent_by_size(const SegmentShape& segment, int block_size,
                                                      Precision precision, const GpuShape& gpu,
                                                      const CudaPolicy& policy,
                                                      const PersistentNeeds& needs = {});

/// Cuts a matrix as the back end does for this layout, with values of a precision, for a solver
/// that keeps so much: counts what every segment looks up, in O(nonzeros); cheap where segments
/// have too many rows to fit. Columns must rise within rows. On `threads` threads (0: all).
PersistentExecution persistent_execution(const PatternView& matrix, const Layout& layout,
                                         Precision precision, const GpuShape& gpu,
                                         const CudaPolicy& policy,
                                         const PersistentNeeds& needs = {}, int threads = 0);

/// Of a matrix of which only size and access pattern are known, both those of its layout in blocks
/// of `persistent_block_size` (rows sorted or not: then fill is taken for more than it is). All
/// segments are taken for alike; `gathered(rows)` is how many distinct values of the vector windows
/// of so many rows look up, summed over the windows: what is beyond their own is in others.
PersistentExecution estimate_persistent_execution(const SegmentShape& segment,
                                                  const AccessPattern& pattern,
                                                  const std::function<double(double)>& gathered,
                                                  int block_size, Precision precision,
                                                  const GpuShape& gpu, const CudaPolicy& policy,
                                                  const PersistentNeeds& needs = {});

/// What our kernels do with a matrix in a layout, with values of a precision: `shape` is what is
/// stored of it (`cuda_shape`), `access` how it is looked up. The kernel for all iterations only
/// where it is asked for, with what its solver keeps. On `threads` threads (0: all).
template <class T>
GpuExecution gpu_execution(const CsrView<T>& matrix, const MatrixAccess& access,
                           const SegmentShape& shape, const Layout& layout, Precision precision,
                           const GpuShape& gpu, const CudaPolicy& policy,
                           const std::optional<PersistentNeeds>& persistent, int threads = 0);

}  // namespace sparsecast
