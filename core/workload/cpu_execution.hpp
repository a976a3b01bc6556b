#pragma once

namespace sparsecast {

/// How the CPU back end carries out a schedule on one segment, as plain numbers: what prices and
/// tests need that have no matrix. `core/cpu/cpu_policy.hpp` decides it.
struct CpuExecution {
  int threads = 1;  ///< that share the segment's rows

  friend bool operator==(const CpuExecution&, const CpuExecution&) = default;
};

}  // namespace sparsecast
