#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/engine/kernel_table.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// How a step's rows are shared among the threads of a device.
enum class RowSplit {
  equal_rows,      ///< similar numbers of rows
  equal_elements,  ///< similar numbers of stored elements: groups that multiply
};

/// What the planner needs to know of one step of a list.
struct PlannedStep {
  StepKind kind = StepKind::kernel;
  std::optional<ScalarTest> guard;
  std::vector<VectorSlot> vectors;
  std::vector<Access> accesses;  ///< one per vector; `kernel` and `reduce`
  bool uses_matrix = false;
  bool transposed = false;  ///< of the matrix: by its transpose
  bool self_scheduled = false;
  bool sums = false;  ///< a kernel whose sums the next step may use
};

/// A piece of a plan: steps [first, last) of the list. More than one only when they are kernels
/// (and a reduction, or one that sums, as the last) that touch the same rows, so that a thread can
/// carry them out one after the other without waiting for anybody. (To take a few rows at a time
/// through all of them, while these are in a cache, was measured: it gains nothing.)
struct PlanItem {
  int first = 0;
  int last = 0;
  /// The threads of each device wait for each other before it.
  bool barrier_before = false;
  RowSplit split = RowSplit::equal_rows;
};

/// Derives from the vectors that steps touch which steps may run together and where threads must
/// wait. `repeated`: the list runs again and again, so its end precedes its beginning. `several`:
/// there is more than one device. Reductions, kernels that sum, exchanges (of several devices) and
/// barriers are known to synchronise all devices by themselves.
std::vector<PlanItem> plan_steps(std::span<const PlannedStep> steps, bool repeated, bool several);

}  // namespace sparsecast
