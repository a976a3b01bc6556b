#pragma once

#include "core/analysis/counted/segment_counts.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/json_tree.hpp"
#include "core/formats/format.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// An object with the numbers of a segment that is cut for a layout: of blocks those of the
/// layout's size.
JsonObject to_json(const PatternNumbers& numbers, const Layout& layout);

/// The inverse, exact, for a matrix of so many columns. Throws `Error` with the place for another
/// one.
PatternNumbers read_numbers(const JsonPlace& object, const Layout& layout, double columns);

/// The same of all that is counted of a segment, that of one of so many devices for a square
/// matrix. Neighbours may be missing.
JsonObject to_json(const SegmentCounts& counts, const Layout& layout);
SegmentCounts read_segment(const JsonPlace& object, const Layout& layout, double columns,
                           int device, int devices);

}  // namespace sparsecast
