#include "core/formats/ell/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsecast {

SpmvExecution ell_execution(double rows) {
  SpmvExecution execution;
  execution.threads = ell_threads;
  execution.rows_per_block = ell_threads;
  execution.blocks =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(rows / ell_threads)));
  execution.longest_short_row = std::numeric_limits<std::int32_t>::max();  // none is cut
  return execution;
}

ProductGeometry ell_geometry() {
  ProductGeometry geometry;
  geometry.blocks_in_pass = ell_entries_at_once;
  geometry.blocks_in_stream_pass = ell_entries_at_once;
  geometry.resident_blocks = ell_resident_blocks;
  geometry.resident_blocks_with_sums = ell_resident_blocks_with_sums;
  geometry.priced_as = "sell";
  return geometry;
}

double ell_passes(double rows, std::int64_t width) {
  constexpr double warp = 32;
  return std::ceil(rows / warp) * std::ceil(static_cast<double>(width) / ell_entries_at_once);
}

}  // namespace sparsecast
