#pragma once

#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The segments of a system together.
SegmentShape whole_of(const std::vector<SegmentShape>& segments);

/// Transferred elements m of an iteration; of kernels and reductions the sum. `vectors_exchanged`:
/// how often the exchanged vector counts in equation 11's exchange.
double transferred_elements(const Schedule& schedule, const SegmentShape& whole,
                            double vectors_exchanged);

/// What a measured iteration moves.
BytesByKind bytes_of(const Schedule& schedule, const SegmentShape& whole, Precision precision);

}  // namespace sparsecast
