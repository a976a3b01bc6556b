#pragma once

#include "core/cpu/cpu_policy.hpp"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast {

/// The devices that a CPU acts as: groups of threads; or one group that is a rank's device.
struct CpuDevices {
  int count = 1;
  int threads_each = 1;  ///< at most
  CpuPolicy policy;
  const RankPart* part = nullptr;  ///< of the rank; nullptr: there is one process

  /// Whether vectors are exchanged between devices.
  bool several() const { return count > 1 || part != nullptr; }
};

}  // namespace sparsecast
