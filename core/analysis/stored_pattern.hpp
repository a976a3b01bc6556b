#pragma once

#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// The access pattern of a matrix, or a segment of it, that takes this size in a layout: what was
/// counted of its rows (`MatrixAccess::pattern`), with the rows as the format stores them
/// (`Format::pattern`). Throws `Error` for a layout without kernels.
AccessPattern stored_pattern(const MatrixAccess& access, const SegmentShape& shape,
                             const Layout& layout, Precision precision);

}  // namespace sparsecast
