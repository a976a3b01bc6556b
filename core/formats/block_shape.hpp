#pragma once

#include "core/formats/format.hpp"

namespace sparsecast {

/// The size of a segment that is stored in so many N x N blocks, those that padding adds included.
/// A block row may hang over the last row.
SegmentShape block_shape(const PatternNumbers& numbers, int block_size, double blocks);

}  // namespace sparsecast
