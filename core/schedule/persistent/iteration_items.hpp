#pragma once

#include <vector>

#include "core/schedule/persistent/persistent_plan.hpp"

namespace sparsecast {

/// The items of an iteration with their waits, without what is known of halos. Throws `Error` that
/// says why there are none.
PersistentPlan iteration_items(const Schedule& schedule);

/// Finds what can be done while sums are waited for. Behind what is known of halos.
void find_movable_statements(const Schedule& schedule, PersistentPlan& plan);

/// The vectors that a statement reads, each once.
std::vector<int> operands_read(const PassStatement& statement);

}  // namespace sparsecast
