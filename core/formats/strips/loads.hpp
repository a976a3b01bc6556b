#pragma once

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// What the warps of the strips' kernel load for a segment, warp by warp: exactly where it has no
/// more than `most_entries_of_sample` entries, otherwise on warps that are chosen at random, always
/// the same, for all of them. Lines are those of the matrix, too: neighbouring threads load from
/// block rows that lie apart. Columns must rise within rows. O(nonzeros), on `threads` threads (0:
/// all).
WarpLoads count_strip_loads(const PatternView& matrix, const Segment& segment, const Layout& layout,
                            Precision precision, const SpmvExecution& execution, int threads);

/// The same of numbers, as if all block rows were as long as the mean one.
WarpLoads estimate_strip_loads(const SegmentShape& shape, const AccessPattern& pattern,
                               Precision precision, const SpmvExecution& execution);

}  // namespace sparsecast
