#pragma once

#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// One of the kernels of a multiplication that takes several, one after the other: as a product of
/// its own, of what is stored for it.
struct ProductPart {
  SegmentShape shape;
  AccessPattern pattern;  ///< of its entries
  SpmvExecution execution;
  ProductGeometry geometry;
  /// Rows whose results of the kernels before it reads and writes again; the first writes all.
  double updated_rows = 0;
  /// Launches behind it that touch few values.
  int launches = 0;
};

}  // namespace sparsecast
