#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The arrays that the iterations of a schedule touch: the matrix, and each vector that a step
/// without guard names.
class WorkingSet {
 public:
  /// The schedule must outlive it.
  explicit WorkingSet(const Schedule& schedule);

  /// Of a segment, each array once.
  double bytes(const SegmentShape& shape, Precision precision) const;

 private:
  std::vector<const Step*> products_;  ///< of those that read the matrix alike one
  std::vector<VectorScope> vectors_;
};

/// The bytes of the schedule's `WorkingSet` on a segment.
double working_set_bytes(const Schedule& schedule, const SegmentShape& shape, Precision precision);

/// Working sets by which errors and intervals are told apart: below 5 MB, 5 to 40, 40 to 150,
/// above. Small ones are all launch cost and would flatter a mean.
struct Stratum {
  std::string_view name;
  double bytes_below;
};
std::span<const Stratum> working_set_strata();

/// The index of the stratum that so many bytes are in.
std::size_t working_set_stratum(double bytes);

}  // namespace sparsecast
