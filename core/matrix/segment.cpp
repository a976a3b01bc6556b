#include "core/matrix/segment.hpp"

#include <string>

#include "core/base/error.hpp"

namespace sparsecast {

void require_segment(const Segment& segment, std::int64_t rows, int block_size) {
  const bool aligned = (segment.begin_row % block_size == 0 || segment.rows() == 0) &&
                       (segment.end_row % block_size == 0 || segment.end_row == rows);
  if (segment.begin_row < 0 || segment.begin_row > segment.end_row || segment.end_row > rows ||
      !aligned) {
    throw Error("segment of rows " + std::to_string(segment.begin_row) + " to " +
                std::to_string(segment.end_row) + "; expected multiples of " +
                std::to_string(block_size) + " in a matrix of " + std::to_string(rows) + " rows");
  }
}

}  // namespace sparsecast
