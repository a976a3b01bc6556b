#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "core/schedule/method/operations.hpp"

namespace sparsecast {

/// Operations that are carried out together, in their order: one `apply` and a dot product of what
/// it multiplies with the result; a pass over vectors (`assign` and `dot`); or one of the others.
struct OperationGroup {
  std::vector<std::size_t> operations;  ///< places in the list
};

/// What has to be as it was written when a check ends the run: everything else may be behind or
/// ahead by some operations.
struct ObservedSlots {
  std::set<VectorSlot> vectors;
  std::set<ScalarSlot> scalars;
};

/// All that a list of operations reads.
ObservedSlots slots_read(const std::vector<MethodOperation>& operations);

/// Groups a list of operations. An operation goes into the first pass that it can, or into a later
/// one where vectors then move less often between memory and processor: x += alpha p of conjugate
/// gradients waits for the pass that changes p. Results are as written, down to the order of
/// operations on each value; a check may come later than it stands, after work that changes
/// nothing that is observed. A pass has no more than `vector_pass.hpp` says. Each operation by
/// itself where not `fused`.
std::vector<OperationGroup> grouped(const std::vector<MethodOperation>& operations,
                                    const ObservedSlots& observed, bool fused);

/// Values of vectors that the groups move, per unknown, and a few for each kernel.
double moved_values(const std::vector<MethodOperation>& operations,
                    const std::vector<OperationGroup>& groups);

}  // namespace sparsecast
