#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// Of a thread that looks for the diagonal, at least.
inline constexpr std::int64_t diagonal_rows_per_thread = 10'000;

/// The entries (i, i) of all rows i, 0 where there is none. Columns rise within rows. One threaded
/// pass.
template <class T>
std::vector<double> diagonal(const CsrView<T>& matrix);

}  // namespace sparsecast
