#pragma once

#include "core/cpu/cpu_policy.hpp"

namespace sparsecast {

/// The devices that a CPU acts as: groups of threads.
struct CpuDevices {
  int count = 1;
  int threads_each = 1;  ///< at most
  CpuPolicy policy;
};

}  // namespace sparsecast
