#pragma once

#include "core/matrix/csr.hpp"
#include "core/matrix/renumber.hpp"

/// @file
/// Orders that matrices of applications come in.

namespace sparsecast {

/// METIS's nested dissection (Karypis and Kumar 1998) of the symmetrised pattern, the order that
/// direct solvers eliminate in: parts, and behind them the rows that separate them, again and
/// again. Consecutive rows with the same pattern stay together. The same on every run. Throws
/// `Error` for a matrix that is not square, and for a graph beyond METIS's 32-bit numbers or the
/// memory.
Permutation nested_dissection(const CsrView<double>& matrix);

/// Rows by falling length, those of the same length in their order: graphs with their hubs first.
/// Throws `Error` for a matrix that is not square.
Permutation hubs_first(const CsrView<double>& matrix);

}  // namespace sparsecast
