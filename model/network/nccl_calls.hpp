#pragma once

#include <span>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/segment_work.hpp"
#include "model/links/parallel_costs.hpp"

namespace sparsecast {

/// What exchanges and sums by NCCL cost among the kernels of an iteration, of what they cost alone.
/// `kernel_seconds`: of a kernel on vectors that has next to nothing to do. A kernel of its own
/// takes what has been summed up. An exchange that a sum carries takes as long as the longer of
/// both. Where halos are large (`overlaps_products`) none does: each passes while
/// the product works on own columns, and then a kernel more on the halo's. Equations:
/// docs/network.md.
void call_nccl(ParallelCosts& costs, const Schedule& schedule,
               std::span<const SegmentWork> segments, Precision precision, double kernel_seconds);

/// The share of a segment's entries that are in own columns. How many a halo has is not counted: at
/// least one for each row that looks outside and for each value that is looked up, at most all of
/// those rows; the geometric mean of both stands for it.
double own_share(const SegmentWork& segment);

}  // namespace sparsecast
