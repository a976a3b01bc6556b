#include "core/cpu/cpu_policy.hpp"

#include <algorithm>

namespace sparsecast {

int CpuPolicy::threads(const SegmentShape& segment, int available) const {
  const double values = 20 * segment.unknowns + 2 * segment.elements;
  return static_cast<int>(
      std::clamp(values / values_per_thread, 1.0, static_cast<double>(available)));
}

}  // namespace sparsecast
