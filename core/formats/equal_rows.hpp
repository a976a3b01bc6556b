#pragma once

#include "core/formats/format.hpp"

namespace sparsecast {

/// `Format::weights` of a format that stores as much of every row.
Buffer<std::int64_t> equal_rows(const PatternView& matrix, const Layout& layout);

}  // namespace sparsecast
