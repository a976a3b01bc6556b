#include "core/formats/csr_adaptive/geometry.hpp"

#include <algorithm>
#include <limits>

namespace sparsecast {

SpmvExecution adaptive_execution(const SegmentShape& shape, std::int64_t row_blocks) {
  SpmvExecution execution;
  execution.lanes = 32;  // those of a warp are of any rows
  execution.threads = adaptive_threads;
  execution.blocks = std::max<std::int64_t>(1, row_blocks);
  const auto rows = static_cast<std::int64_t>(shape.unknowns);
  execution.rows_per_block =
      std::max<std::int64_t>(1, (rows + execution.blocks - 1) / execution.blocks);
  execution.longest_short_row = std::numeric_limits<std::int32_t>::max();  // none has warps alone
  return execution;
}

ProductGeometry adaptive_geometry() {
  ProductGeometry geometry;
  geometry.blocks_in_pass = static_cast<double>(row_block_capacity) / row_block_warps;
  geometry.blocks_in_stream_pass = geometry.blocks_in_pass;
  geometry.resident_blocks = adaptive_resident_blocks;
  geometry.resident_blocks_with_sums = geometry.resident_blocks;
  geometry.sums = false;
  return geometry;
}

}  // namespace sparsecast
