#pragma once

#include "core/matrix/csr.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

/// An order for graphs with hubs, which keeps what products gather in few cache lines: the rows
/// with by far the most entries first, by falling length, and behind them clusters of rows that are
/// near each other in the symmetrised pattern: the next row of a cluster is the one with the most
/// neighbours in it, as in Gorder (Wei, Yu, Lu and Lin 2016, section 4), though over a cluster in
/// place of a sliding window, and without neighbours of neighbours. In about O(entries). The same
/// on every run. Throws `Error` for a matrix that is not square.
Permutation hub_order(const CsrView<double>& matrix);

}  // namespace sparsecast
