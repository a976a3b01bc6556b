#pragma once

#include <algorithm>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/schedule/vector_pass.hpp"

/// @file
/// What the models ask of a schedule and its steps.

namespace sparsecast {

/// Whether a device runs a kernel for it: a reduction is one too.
inline bool runs_kernel(const Step& step) {
  return step.kind == StepKind::kernel || step.kind == StepKind::reduce;
}

/// Whether it is priced as one that is carried out in each iteration.
inline bool runs_mostly(const Step& step) {
  return !step.guard || step.guard_mostly_holds;
}

/// Of what a step moves, those of the matrix.
inline double matrix_bytes(const BytesByKind& bytes) {
  return bytes.values + bytes.indices + bytes.row_pointers;
}

/// Whether its iterations are of a user's own solver, which calibration has not measured.
inline bool has_passes(const Schedule& schedule) {
  return std::ranges::any_of(schedule.iteration,
                             [](const Step& step) { return step.pass.has_value(); });
}

/// The blocks of a pass (`pass_blocks`); none where it is no pass.
inline std::vector<PassBlock> blocks_of(const Step& step) {
  if (!step.pass) return {};
  return pass_blocks(*step.pass, static_cast<int>(step.vectors.size()));
}

/// Whether it ends in sums over all rows and devices.
inline bool sums(const Step& step) {
  return step.kind == StepKind::reduce || !step.sums.empty();
}

}  // namespace sparsecast
