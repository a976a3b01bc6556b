#pragma once

#include "core/schedule/persistent/planned_iteration.hpp"

namespace sparsecast {

/// The items of an iteration with their waits, without what is known of halos. Throws `Error` that
/// says why there are none.
PersistentPlan iteration_items(const Schedule& schedule);

/// Finds what can be done while sums are waited for. Behind what is known of halos.
void find_movable_statements(const Schedule& schedule, PersistentPlan& plan);

}  // namespace sparsecast
