#pragma once

#include "core/matrix/csr.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

/// An order in which the rows of each of `parts` parts follow each other, parts of similar numbers
/// of nonzeros that look up few rows of each other (METIS's k-way partition by communication
/// volume, Karypis and Kumar 1998, of the symmetrised pattern; beyond 64 parts its recursive
/// bisection by edge cut). In a part, rows without an entry in
/// another part come first, so that they fill whole groups; both kinds keep the order of the
/// matrix. Consecutive rows with the same pattern stay together, as the unknowns of a node do, so
/// that blocks stay whole. The same on every run. Rows keep their order for one part, and where
/// there are more parts than such groups of rows.
///
/// Throws `Error` for a matrix that is not square, for parts that are not positive, and for a
/// graph beyond METIS's 32-bit numbers (2^31 - 1 entries of the symmetrised pattern) or the memory.
Permutation metis_order(const CsrView<double>& matrix, int parts);

}  // namespace sparsecast
