#pragma once

#include <set>
#include <span>

#include "core/schedule/method/operations.hpp"

namespace sparsecast {

/// Takes out vectors that are never more than a copy of another one, as what a preconditioner makes
/// that is the identity: where one is read before either of the two has changed, the other is read
/// in its place, and copies that nobody reads then are not made. `kept`: vectors that somebody else
/// reads. Returns those that are no longer in use.
std::set<VectorSlot> remove_copies(MethodOperations& operations, const std::set<VectorSlot>& kept);

/// Gives the vectors of all operations other slots: the one at the place of the old one.
void renumber_vectors(MethodOperations& operations, std::span<const VectorSlot> slots);

}  // namespace sparsecast
