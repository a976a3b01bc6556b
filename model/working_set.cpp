#include "model/working_set.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "model/step_kinds.hpp"

namespace sparsecast {

WorkingSet::WorkingSet(const Schedule& schedule) {
  const auto reads_alike = [](const Step& one, const Step& other) {
    const auto of_matrix = [](const Traffic& traffic) {
      return std::array{traffic.values_per_element, traffic.indices_per_block,
                        traffic.offsets_per_block_row};
    };
    return of_matrix(one.traffic) == of_matrix(other.traffic);
  };
  std::set<VectorSlot> vectors;
  for (const Step& step : schedule.iteration) {
    if (!runs_mostly(step)) continue;
    vectors.insert(step.vectors.begin(), step.vectors.end());
    const auto known = std::ranges::find_if(
        products_, [&](const Step* product) { return reads_alike(*product, step); });
    if (known == products_.end()) products_.push_back(&step);
  }
  for (const VectorSlot vector : vectors) {
    vectors_.push_back(schedule.vectors[static_cast<std::size_t>(vector)].scope);
  }
}

double WorkingSet::bytes(const SegmentShape& shape, Precision precision) const {
  double matrix = 0;
  for (const Step* product : products_) {
    const BytesByKind bytes = bytes_moved(*product, shape, precision);
    matrix = std::max(matrix, bytes.values + bytes.indices + bytes.row_pointers);
  }
  double values = 0;
  for (const VectorScope scope : vectors_) {
    values += scope == VectorScope::full ? shape.total_unknowns : shape.unknowns;
  }
  return matrix + values * static_cast<double>(bytes_per_value(precision));
}

double working_set_bytes(const Schedule& schedule, const SegmentShape& shape, Precision precision) {
  return WorkingSet(schedule).bytes(shape, precision);
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
