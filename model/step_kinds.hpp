#pragma once

#include "core/schedule/schedule.hpp"

/// @file
/// What the models ask of a step of any schedule.

namespace sparsecast {

/// Whether a device runs a kernel for it: a reduction is one too.
inline bool runs_kernel(const Step& step) {
  return step.kind == StepKind::kernel || step.kind == StepKind::reduce;
}

/// Whether it ends in sums over all rows and devices.
inline bool sums(const Step& step) {
  return step.kind == StepKind::reduce || !step.sums.empty();
}

}  // namespace sparsecast
