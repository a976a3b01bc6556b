#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Bytes that the iterations of a schedule touch on a segment: matrix once, and each vector that a
/// step without guard names once.
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
