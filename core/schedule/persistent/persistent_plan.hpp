#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/schedule/persistent/planned_iteration.hpp"

/// @file
/// How one kernel that stays on a GPU carries out all iterations of a schedule. Each of its thread
/// blocks keeps a segment of the rows. Of a vector that the matrix multiplies it needs values of
/// other blocks' rows, too: the halo. They come from their owners where a sum is waited for between
/// assignment and use, which hides the way; else every block computes them itself, from the halo
/// values of what they are made of.

namespace sparsecast {

/// The plan of a schedule, or why there is none ("it multiplies by the transpose").
std::variant<PersistentPlan, std::string> plan_persistent(const Schedule& schedule);

/// What its kernel keeps; nothing where there is none.
std::optional<PersistentNeeds> persistent_needs(const Schedule& schedule);

/// Why there is no such kernel; empty where there is one.
std::string why_not_persistent(const Schedule& schedule);

}  // namespace sparsecast
