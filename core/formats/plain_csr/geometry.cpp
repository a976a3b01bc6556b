#include "core/formats/plain_csr/geometry.hpp"

#include <algorithm>
#include <limits>

namespace sparsecast {

SpmvExecution plain_csr_execution(const SegmentShape& shape, int lanes) {
  SpmvExecution execution;
  execution.lanes = lanes;
  execution.threads = plain_csr_threads;
  execution.rows_per_block = plain_csr_threads / lanes;
  const auto rows = static_cast<std::int64_t>(shape.unknowns);
  execution.blocks =
      std::max<std::int64_t>(1, (rows + execution.rows_per_block - 1) / execution.rows_per_block);
  execution.longest_short_row = std::numeric_limits<std::int32_t>::max();  // none is cut
  return execution;
}

ProductGeometry plain_csr_geometry(Precision precision, int lanes) {
  const bool is_single = precision == Precision::f32;
  ProductGeometry geometry;
  geometry.blocks_in_pass = plain_csr_entries_at_once * lanes;
  geometry.blocks_in_stream_pass = geometry.blocks_in_pass;
  geometry.resident_blocks = is_single ? plain_csr_resident_blocks<float, false>
                                       : plain_csr_resident_blocks<double, false>;
  geometry.resident_blocks_with_sums =
      is_single ? plain_csr_resident_blocks<float, true> : plain_csr_resident_blocks<double, true>;
  geometry.priced_as = "csr";
  return geometry;
}

}  // namespace sparsecast
