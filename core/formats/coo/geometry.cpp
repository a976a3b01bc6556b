#include "core/formats/coo/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace sparsecast {
namespace {

constexpr double warp = 32;
constexpr int entries_of_block = coo_entries_of_interval * (coo_threads / 32);

}  // namespace

SpmvExecution coo_execution(double entries, double rows) {
  SpmvExecution execution;
  execution.lanes = 32;  // of a warp, of any rows
  execution.streams = true;
  execution.threads = coo_threads;
  execution.blocks = std::max<std::int64_t>(1, std::llround(std::ceil(entries / entries_of_block)));
  execution.rows_per_block =
      std::max<std::int64_t>(1, std::llround(rows / static_cast<double>(execution.blocks)));
  execution.longest_short_row = std::numeric_limits<std::int32_t>::max();  // none is cut
  return execution;
}

ProductGeometry coo_geometry() {
  ProductGeometry geometry;
  geometry.blocks_in_pass = coo_steps_at_once * warp;
  geometry.blocks_in_stream_pass = geometry.blocks_in_pass;
  geometry.resident_blocks = coo_resident_blocks;
  geometry.resident_blocks_with_sums = coo_resident_blocks;
  geometry.priced_as = "csr-adaptive";
  geometry.sums = false;
  return geometry;
}

double coo_passes(double entries) {
  return std::ceil(entries / (coo_steps_at_once * warp));
}

ProductPart coo_part(const SegmentShape& shape, const AccessPattern& of_product,
                     const WarpLoads& of_product_loads) {
  ProductPart part;
  part.shape = shape;
  part.pattern = of_product;
  auto& lookups = part.pattern.sector_lookups;
  const double all = std::max(1.0, std::accumulate(lookups.begin(), lookups.end(), 0.0));
  for (double& count : lookups) count *= std::min(1.0, shape.elements / all);
  part.execution = coo_execution(shape.elements, shape.unknowns);
  part.execution.longest_short_row = entries_of_block;  // what is longer is of several
  part.execution.loads = {coo_passes(shape.elements), of_product_loads.added_lines};
  part.geometry = coo_geometry();
  part.updated_rows = of_product_loads.added_rows;
  part.launches = 1;
  return part;
}

}  // namespace sparsecast
