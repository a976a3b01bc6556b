#include "model/working_set.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "model/step_kinds.hpp"

namespace sparsecast {

double working_set_bytes(const Schedule& schedule, const SegmentShape& shape, Precision precision) {
  std::set<VectorSlot> vectors;
  double matrix = 0;
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step)) continue;
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

std::span<const Stratum> working_set_strata() {
  static constexpr std::array<Stratum, 4> strata{
      {{"below 5 MB", 5e6},
       {"5 to 40 MB", 40e6},
       {"40 to 150 MB", 150e6},
       {"above 150 MB", std::numeric_limits<double>::infinity()}}};
  return strata;
}

std::size_t working_set_stratum(double bytes) {
  const auto strata = working_set_strata();
  const auto found = std::ranges::find_if(
      strata, [bytes](const Stratum& each) { return bytes < each.bytes_below; });
  return static_cast<std::size_t>(std::min(found, strata.end() - 1) - strata.begin());
}

}  // namespace sparsecast
