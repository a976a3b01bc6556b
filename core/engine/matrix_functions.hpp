#pragma once

#include <functional>

#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/method/expression.hpp"

namespace sparsecast {

/// The functions of this matrix that a method's parameters may have (`parameter_values`). The
/// matrix must outlive it. With a `part`: those of the matrix that ranks share, all of which call
/// them.
template <class T>
std::function<double(const Expression& call)> functions_of(const CsrView<T>& matrix,
                                                           const RankPart* part = nullptr);

}  // namespace sparsecast
