#pragma once

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// What the warps of these kernels load for a segment, warp by warp: exactly where it has no more
/// than `most_entries_of_sample` entries, otherwise on warps that are chosen at random, always the
/// same, for all of them. With a thread a row `lines` are those of the matrix, too: neighbours load
/// from rows that lie apart. Columns must rise within rows.
WarpLoads count_plain_csr_loads(const PatternView& matrix, const Segment& segment,
                                Precision precision, const SpmvExecution& execution);

/// The same of numbers, as if all rows were as long as the mean one.
WarpLoads estimate_plain_csr_loads(const SegmentShape& shape, const AccessPattern& pattern,
                                   Precision precision, const SpmvExecution& execution);

}  // namespace sparsecast
