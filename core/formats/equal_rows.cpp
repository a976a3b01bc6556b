#include "core/formats/equal_rows.hpp"

namespace sparsecast {

Buffer<std::int64_t> equal_rows(const PatternView& matrix, const Layout&) {
  Buffer<std::int64_t> weights(static_cast<std::size_t>(matrix.rows) + 1);
  for (std::int64_t row = 0; row <= matrix.rows; ++row) weights[row] = row;
  return weights;
}

}  // namespace sparsecast
