#pragma once

#include "core/schedule/method/method.hpp"

namespace sparsecast {

/// Checks that a method means something: names, kinds, spaces, indices, what is read before
/// anything is assigned to it, roles, the iteration's shape. Throws `Error` with the first thing
/// that is wrong: "schedule 'cg': iteration[2].vector[0]: column 5: unknown name 'rr'; did you mean
/// 'r'?". The order is setup, iteration, finish; an assignment that is carried out under a
/// condition counts as one, and so does each of an array's for the whole of it.
void check_method(const Method& method);

}  // namespace sparsecast
