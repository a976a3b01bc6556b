#include "core/formats/sell/geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/formats/sell/sell.hpp"

namespace sparsecast {

SpmvExecution sell_execution(const SegmentShape& shape, const Layout& layout) {
  constexpr int warp = 32;
  SpmvExecution execution;
  execution.lanes = std::max(1, warp / layout.slice_height);
  execution.threads = sell_threads;
  execution.rows_per_block = sell_threads / warp * layout.slice_height;
  const auto rows = static_cast<std::int64_t>(shape.unknowns);
  execution.blocks = (rows + execution.rows_per_block - 1) / execution.rows_per_block;
  execution.longest_short_row = std::numeric_limits<std::int32_t>::max();  // none is cut
  return execution;
}

ProductGeometry sell_geometry(const Layout& layout, Precision precision) {
  const bool is_single = precision == Precision::f32;
  const int values = is_single ? sell_values_at_once<float> : sell_values_at_once<double>;
  ProductGeometry geometry;
  // Of a row, by all of its lanes.
  geometry.blocks_in_pass = static_cast<double>(values) * 32 / layout.slice_height;
  geometry.blocks_in_stream_pass = geometry.blocks_in_pass;
  geometry.resident_blocks = is_single ? sell_resident_blocks<float> : sell_resident_blocks<double>;
  geometry.resident_blocks_with_sums = geometry.resident_blocks;
  return geometry;
}

}  // namespace sparsecast
