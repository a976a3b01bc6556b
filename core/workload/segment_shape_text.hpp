#pragma once

#include <string>
#include <string_view>

#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// "unknowns:total_unknowns:elements:blocks:block_rows:index_bytes", with "/offset_bytes" behind
/// where a row offset has not 8 bytes.
std::string to_text(const SegmentShape& shape);

/// Takes such a text from the front of `text`, and the ':' behind it; `parse` makes a number of a
/// piece, or throws. A number that is missing is an empty piece.
SegmentShape take_segment_shape(std::string_view& text, double (*parse)(std::string_view));

}  // namespace sparsecast
