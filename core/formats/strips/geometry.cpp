#include "core/formats/strips/geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sparsecast {
namespace {

template <class T, StripContent content>
ProductGeometry geometry_of() {
  ProductGeometry geometry;
  geometry.resident_blocks = strip_resident_blocks<T, content, false>;
  geometry.resident_blocks_with_sums = strip_resident_blocks<T, content, true>;
  geometry.priced_as = "bcsr";
  return geometry;
}

template <StripContent content>
ProductGeometry geometry_in(Precision precision) {
  return precision == Precision::f32 ? geometry_of<float, content>()
                                     : geometry_of<double, content>();
}

}  // namespace

SpmvExecution strip_execution(const SegmentShape& shape) {
  SpmvExecution execution;
  execution.threads = strip_threads;
  execution.rows_per_block = strip_threads;
  const auto block_rows = static_cast<std::int64_t>(shape.block_rows);
  execution.blocks = std::max<std::int64_t>(1, (block_rows + strip_threads - 1) / strip_threads);
  execution.longest_short_row = std::numeric_limits<std::int32_t>::max();  // none is cut
  return execution;
}

ProductGeometry strip_geometry(StripContent content, Precision precision) {
  return content == StripContent::rows ? geometry_in<StripContent::rows>(precision)
                                       : geometry_in<StripContent::quads>(precision);
}

}  // namespace sparsecast
