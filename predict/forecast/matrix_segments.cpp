#include "predict/forecast/matrix_segments.hpp"

#include "core/analysis/partition.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

namespace {

std::int64_t block_row(std::int64_t row, int block_size) {
  return (row + block_size - 1) / block_size;  // only the matrix's end is no multiple
}

}  // namespace

std::vector<SegmentShape> MatrixSegments::operator()(const Layout& layout, int devices) {
  OrderedMatrix& order = orders_.on(devices);
  if (devices == 1) return {order.features().shape(layout)};
  const RowOffsets cumulative = cumulative_blocks(order, layout.block_size);
  const double values_per_block = static_cast<double>(layout.block_size) * layout.block_size;
  std::vector<SegmentShape> shapes;
  for (const Segment& segment : partition(order.matrix(), layout, devices)) {
    const std::int64_t begin = block_row(segment.begin_row, layout.block_size);
    const std::int64_t end = block_row(segment.end_row, layout.block_size);
    SegmentShape shape;
    shape.unknowns = static_cast<double>(segment.rows());
    shape.total_unknowns = static_cast<double>(order.matrix().rows);
    shape.blocks = static_cast<double>(cumulative[end] - cumulative[begin]);
    shape.elements = shape.blocks * values_per_block;
    shape.block_rows = static_cast<double>(end - begin);
    shapes.push_back(shape);
  }
  return shapes;
}

RowOffsets MatrixSegments::cumulative_blocks(const OrderedMatrix& order, int block_size) {
  const CsrView<double>& matrix = order.matrix();
  if (block_size == 1) return matrix.row_offsets;
  auto& counts = counts_[{&order, block_size}];
  if (counts.empty()) counts = count_blocks(matrix.pattern(), Segment{0, matrix.rows}, block_size);
  return counts;
}

}  // namespace sparsecast
