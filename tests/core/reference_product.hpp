#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A matrix times a vector, in double, per row: what products are compared with.
struct ReferenceProduct {
  std::vector<double> sums;
  std::vector<double> magnitudes;  ///< sums of the terms' magnitudes, to which rounding is relative
};

template <class T>
ReferenceProduct reference_product(const CsrMatrix<T>& matrix, const std::vector<T>& input) {
  ReferenceProduct product;
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    double sum = 0;
    double magnitude = 0;
    for (auto e = static_cast<std::size_t>(matrix.row_offsets[row]);
         e < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++e) {
      const double term =
          static_cast<double>(matrix.values[e]) *
          static_cast<double>(input[static_cast<std::size_t>(matrix.column_indices[e])]);
      sum += term;
      magnitude += std::abs(term);
    }
    product.sums.push_back(sum);
    product.magnitudes.push_back(magnitude);
  }
  return product;
}

}  // namespace sparsecast
