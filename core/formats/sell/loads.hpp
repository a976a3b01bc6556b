#pragma once

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// What the warps of SELL's kernel load of the multiplied vector for a segment, slice by slice:
/// exactly where it has no more than `most_entries_of_sample` entries, otherwise on slices that are
/// chosen at random, always the same, for all of them. Columns must rise within rows.
WarpLoads count_sell_loads(const PatternView& matrix, const Segment& segment, const Layout& layout,
                           Precision precision, const SpmvExecution& execution, int threads);

/// The same of numbers: as many passes as full slices need; a line, or two of f64, for each load
/// and for each sector that a warp's rows look up.
WarpLoads estimate_sell_loads(const SegmentShape& shape, const AccessPattern& pattern,
                              Precision precision, const SpmvExecution& execution);

}  // namespace sparsecast
