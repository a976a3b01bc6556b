#pragma once

#include "core/matrix/csr.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

/// Reverse Cuthill-McKee of the symmetrised pattern, component by component, each started at a
/// pseudo-peripheral node. Throws `Error` for a matrix that is not square.
Permutation reverse_cuthill_mckee(const CsrView<double>& matrix);

}  // namespace sparsecast
