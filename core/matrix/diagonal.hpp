#pragma once

#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// The entries (i, i) of all rows i, 0 where there is none. Columns rise within rows. One threaded
/// pass.
template <class T>
std::vector<double> diagonal(const CsrView<T>& matrix);

}  // namespace sparsecast
