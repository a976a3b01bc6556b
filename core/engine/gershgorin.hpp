#pragma once

#include <utility>

#include "core/matrix/csr.hpp"
#include "core/schedule/method/parameters.hpp"

namespace sparsecast {

/// Bounds of the eigenvalues of a square matrix by Gershgorin's circles: the least and the largest
/// of a_ii -+ the sum of |a_ij|, i != j; `scaled`: of D^-1 A. O(nonzeros).
template <class T>
std::pair<double, double> gershgorin_bounds(const CsrView<T>& matrix, bool scaled);

/// The functions of this matrix that parameters of a method may have: `gershgorin_low(A)`,
/// `gershgorin_high(A)`, and of an inverse diagonal times it (`gershgorin_high(M, A)`). The matrix
/// must outlive it.
template <class T>
MatrixFunction functions_of(const CsrView<T>& matrix);

}  // namespace sparsecast
