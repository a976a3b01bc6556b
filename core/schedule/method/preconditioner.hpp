#pragma once

#include <string_view>

#include "core/schedule/method/method.hpp"

/// @file
/// A method names its preconditioner by a role; what that operator is may be chosen before the
/// method runs.

namespace sparsecast {

enum class Preconditioner {
  none,    ///< the identity
  jacobi,  ///< the inverse of the matrix's diagonal
};

/// "none", "jacobi".
std::string_view to_string(Preconditioner preconditioner);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
Preconditioner parse_preconditioner(std::string_view name);

/// Whether a method has an operator with the role "preconditioner".
bool has_preconditioner(const Method& method);

/// The method with this preconditioner; where that is another one than its own, its name says so:
/// "cg-none". Throws `Error` where it has no such role.
Method with_preconditioner(Method method, Preconditioner preconditioner);

}  // namespace sparsecast
