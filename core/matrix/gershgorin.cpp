#include "core/matrix/gershgorin.hpp"

#include <cmath>
#include <vector>

#include "core/matrix/diagonal.hpp"

namespace sparsecast {

template <class T>
double gershgorin_bound(const CsrView<T>& matrix, bool high, bool of_inverse_diagonal) {
  const std::vector<double> centres = diagonal(matrix);
  double bound = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double radius = 0;
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      if (matrix.column_indices[e] != row)
        radius += std::abs(static_cast<double>(matrix.values[e]));
    }
    const double centre = centres[row];
    const double scale = of_inverse_diagonal ? 1 / centre : 1;
    const double end = centre * scale + (high ? radius : -radius) * std::abs(scale);
    if (row == 0 || (high ? end > bound : end < bound)) bound = end;
  }
  return bound;
}

template double gershgorin_bound(const CsrView<float>&, bool, bool);
template double gershgorin_bound(const CsrView<double>&, bool, bool);

}  // namespace sparsecast
