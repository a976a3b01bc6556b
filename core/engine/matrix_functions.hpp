#pragma once

#include <functional>

#include "core/matrix/csr.hpp"
#include "core/schedule/method/expression.hpp"

namespace sparsecast {

/// The functions of this matrix that a method's parameters may have (`parameter_values`). The
/// matrix must outlive it.
template <class T>
std::function<double(const Expression& call)> functions_of(const CsrView<T>& matrix);

}  // namespace sparsecast
