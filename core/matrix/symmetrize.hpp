#pragma once

#include "core/matrix/csr.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {

/// The pattern of A + A^T + I of a square matrix with rising columns, columns rising within rows,
/// on `threads` threads (0: all).
template <class T>
CsrPattern symmetrize_pattern(const CsrView<T>& matrix, int threads = 0);

}  // namespace sparsecast
