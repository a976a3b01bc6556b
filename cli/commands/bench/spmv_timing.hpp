#pragma once

#include <string_view>

#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast::cli {

/// A measured product u = A v of random values, many of them back to back over the same memory.
struct SpmvTiming {
  Timing timing;               ///< of one product
  double stored_elements = 0;  ///< all devices together, zeros in blocks and padding included
  double bytes = 0;            ///< that a product reads and writes, each array once
  double matrix_bytes = 0;     ///< those of the matrix among them: values, indices and offsets
};

/// Measures for about `max_seconds`. Throws as `Backend::prepare` does.
template <class T>
SpmvTiming time_spmv(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout,
                     double max_seconds);

/// Products run back to back over the same memory: "hot" when it takes less than 0.8 of the
/// last-level cache, "cold" when more than twice of it, "mixed" between.
std::string_view cache_state(double bytes, double cache_bytes);

}  // namespace sparsecast::cli
