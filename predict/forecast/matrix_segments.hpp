#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/matrix/row_offsets.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "predict/matrix_orders.hpp"

namespace sparsecast {

/// Shapes of a matrix's segments; the blocks of each block size are counted once.
class MatrixSegments {
 public:
  /// The matrix must outlive it.
  explicit MatrixSegments(MatrixOrders& orders) : orders_(orders) {}

  /// Of the real partition in the order for so many devices, one each.
  std::vector<SegmentShape> operator()(const Layout& layout, int devices);

 private:
  RowOffsets cumulative_blocks(const OrderedMatrix& order, int block_size);

  MatrixOrders& orders_;
  std::map<std::pair<const OrderedMatrix*, int>, Buffer<std::int64_t>> counts_;
};

}  // namespace sparsecast
