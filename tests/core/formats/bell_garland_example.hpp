#pragma once

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// The 4 x 4 matrix by which Bell and Garland 2008 show their formats (section 3):
///
///     1 7 0 0
///     0 2 8 0
///     5 0 3 9
///     0 6 0 4
inline CsrMatrix<double> bell_garland_example() {
  return {4, 4, {0, 2, 4, 7, 9}, {0, 1, 1, 2, 0, 2, 3, 1, 3}, {1, 7, 2, 8, 5, 3, 9, 6, 4}};
}

}  // namespace sparsecast
