#pragma once

#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// A bound of the eigenvalues by Gershgorin's circles, times the inverse of the diagonal if
/// `of_inverse_diagonal`: the largest of centre + radius (`high`), else the smallest of centre -
/// radius. 0 for a matrix without rows.
template <class T>
double gershgorin_bound(const CsrView<T>& matrix, bool high, bool of_inverse_diagonal);

/// The same of the circles of some rows alone; infinite (negative for `high`) where there are none.
template <class T>
double gershgorin_bound(const CsrView<T>& matrix, const Segment& rows, bool high,
                        bool of_inverse_diagonal);

}  // namespace sparsecast
