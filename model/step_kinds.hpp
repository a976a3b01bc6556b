#pragma once

#include <string>

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

/// The kernel whose constants price it: a pass over vectors is priced like the kernels of fused
/// conjugate gradients that are made as passes are, with sums and without.
inline std::string priced_as(const Step& step) {
  if (!step.pass) return step.name;
  return sums(step) ? "CGResidual" : "CGDirection";
}

}  // namespace sparsecast
