#include "model/cache_effect.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace sparsecast {

double missing_share(const CacheEffect& cache, double working_set_bytes) {
  if (!(working_set_bytes > 0)) return 0;
  return 1 / (1 + std::pow(cache.capacity_bytes / working_set_bytes, cache.sharpness));
}

double working_set_bytes(const Schedule& schedule, const SegmentShape& shape, Precision precision) {
  std::set<VectorSlot> vectors;
  double matrix = 0;
  for (const Step& step : schedule.iteration) {
    if (step.guard) continue;
    vectors.insert(step.vectors.begin(), step.vectors.end());
    const BytesByKind bytes = bytes_moved(step, shape, precision);
    matrix = std::max(matrix, bytes.values + bytes.indices + bytes.row_pointers);
  }
  double values = 0;
  for (const VectorSlot vector : vectors) {
    const VectorScope scope = schedule.vectors[static_cast<std::size_t>(vector)].scope;
    values += scope == VectorScope::full ? shape.total_unknowns : shape.unknowns;
  }
  return matrix + values * static_cast<double>(bytes_per_value(precision));
}

}  // namespace sparsecast
