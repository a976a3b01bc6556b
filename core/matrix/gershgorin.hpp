#pragma once

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A bound of the eigenvalues by Gershgorin's circles, times the inverse of the diagonal if
/// `of_inverse_diagonal`: the largest of centre + radius (`high`), else the smallest of centre -
/// radius. 0 for a matrix without rows.
template <class T>
double gershgorin_bound(const CsrView<T>& matrix, bool high, bool of_inverse_diagonal);

}  // namespace sparsecast
