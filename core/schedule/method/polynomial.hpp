#pragma once

#include "core/schedule/method/method.hpp"

namespace sparsecast {

/// A method whose preconditioner is a polynomial of D^-1 A, written out as steps
/// (`with_preconditioner`). What it declares has names that begin with the preconditioner's, as
/// "M_high", the bound that the polynomial is for. Throws like `with_preconditioner`, which
/// refuses most of what does not fit before.
Method with_polynomial(Method method, int degree);

}  // namespace sparsecast
