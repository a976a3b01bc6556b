#include "core/formats/block_shape.hpp"

#include <cmath>

namespace sparsecast {

SegmentShape block_shape(const PatternNumbers& numbers, int block_size, double blocks) {
  const double n = block_size;
  SegmentShape shape;
  shape.unknowns = numbers.rows;
  shape.total_unknowns = numbers.columns;
  shape.elements = blocks * n * n;
  shape.blocks = blocks;
  shape.block_rows = std::ceil(numbers.rows / n);
  return shape;
}

}  // namespace sparsecast
