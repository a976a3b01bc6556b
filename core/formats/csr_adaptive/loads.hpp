#pragma once

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// What the warps of CSR-Adaptive's kernel load of the multiplied vector for a segment: exactly
/// where it has no more than `most_entries_of_sample` entries, otherwise on row blocks that are
/// chosen at random, always the same, for all of them. Columns must rise within rows.
WarpLoads count_adaptive_loads(const PatternView& matrix, const Segment& segment,
                               Precision precision);

/// The same of numbers: full passes; a line, or two of f64, for each load and for each sector that
/// the rows of 32 entries look up.
WarpLoads estimate_adaptive_loads(const SegmentShape& shape, const AccessPattern& pattern,
                                  Precision precision, const SpmvExecution& execution);

}  // namespace sparsecast
