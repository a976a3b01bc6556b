#pragma once

#include <cstdint>

namespace sparsecast {

/// Rows [begin, end) of a matrix or of a segment.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t count() const { return end - begin; }
};

}  // namespace sparsecast
