#pragma once

#include <string>

#include "core/base/precision.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"

namespace sparsecast::cuda {

inline constexpr const char* persistent_entry = "sparsecast_persistent";

/// What a persistent kernel is compiled for, beside its plan.
struct PersistentSetting {
  Precision precision = Precision::f64;
  int block_size = 1;      ///< of the blocks that the matrix is kept in
  bool clustered = false;  ///< all thread blocks are one cluster
  int threads = 512;       ///< of a thread block, at most
};

/// The kernel of a plan as the source of a program for `compile`, with a kernel named
/// `persistent_entry` that takes `PersistentArguments`.
std::string persistent_text(const Schedule& schedule, const PersistentPlan& plan,
                            const PersistentSetting& setting);

}  // namespace sparsecast::cuda
