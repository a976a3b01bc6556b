#pragma once

#include "core/schedule/schedule.hpp"
#include "core/workload/cuda_policy.hpp"

namespace sparsecast {

/// Whether products of ranks by NCCL begin while the halo of what they multiply is on its way.
/// `bytes`: the most that a rank sends or receives of one vector. Of a transpose nobody has the
/// halo's entries apart.
inline bool overlaps_products(const Schedule& schedule, double bytes, const CudaPolicy& policy) {
  return !multiplies_by_transpose(schedule) &&
         bytes >= static_cast<double>(policy.fewest_overlapped_bytes);
}

}  // namespace sparsecast
