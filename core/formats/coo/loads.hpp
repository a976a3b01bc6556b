#pragma once

#include <cstdint>

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/gpu_execution.hpp"

namespace sparsecast {

/// `added_lines` and `added_rows` of COO's kernel for all entries of a segment but the first
/// `skipped` of each row, in 32 at a time: lines exactly where there are no more than
/// `most_entries_of_sample` of these, otherwise on some that are chosen at random, always the same,
/// for all of them. Columns must rise within rows. O(rows) beside the sample.
WarpLoads count_coo_loads(const PatternView& matrix, const Segment& segment, std::int64_t skipped,
                          Precision precision);

}  // namespace sparsecast
