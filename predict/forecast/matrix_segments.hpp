#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/formats/format.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "predict/matrix_orders.hpp"

namespace sparsecast {

/// Sizes of a matrix's segments; what they follow from is counted once.
class MatrixSegments {
 public:
  /// The matrix must outlive it.
  explicit MatrixSegments(MatrixOrders& orders) : orders_(orders) {}

  /// Of the real partition in the order for so many devices, one each.
  std::vector<SegmentShape> operator()(const Layout& layout, int devices);

  /// What these follow from.
  const std::vector<PatternNumbers>& numbers(const Layout& layout, int devices);

 private:
  MatrixOrders& orders_;
  std::map<std::pair<Layout, int>, std::vector<PatternNumbers>> numbers_;  ///< by devices too
};

}  // namespace sparsecast
