#pragma once

#include <cstdint>

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/gpu_execution.hpp"

namespace sparsecast {

/// What the warps of ELL's kernel load of the multiplied vector for the first `width` entries of
/// each row of a segment, warp by warp; padding loads nothing of it. Exactly where the segment has
/// no more than `most_entries_of_sample` entries, otherwise on warps that are chosen at random,
/// always the same, for all of them. Columns must rise within rows.
WarpLoads count_ell_loads(const PatternView& matrix, const Segment& segment, std::int64_t width,
                          Precision precision);

}  // namespace sparsecast
