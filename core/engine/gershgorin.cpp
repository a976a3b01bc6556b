#include "core/engine/gershgorin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace sparsecast {

template <class T>
std::pair<double, double> gershgorin_bounds(const CsrView<T>& matrix, bool scaled) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double center = 0;
    double radius = 0;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const auto value = static_cast<double>(matrix.values[k]);
      if (matrix.column_indices[k] == row) {
        center = value;
      } else {
        radius += std::abs(value);
      }
    }
    if (scaled) {
      radius /= std::abs(center);
      center = 1;
    }
    low = std::min(low, center - radius);
    high = std::max(high, center + radius);
  }
  return {low, high};
}

template <class T>
MatrixFunction functions_of(const CsrView<T>& matrix) {
  return [&matrix](std::string_view function,
                   std::span<const OperatorDeclaration* const> operators) {
    using Kind = OperatorDeclaration::Kind;
    const bool scaled = operators.size() == 2 && operators.front()->kind == Kind::inverse_diagonal;
    if (operators.back()->kind != Kind::matrix || (operators.size() > 1 && !scaled)) {
      throw Error(std::string(function) +
                  " takes the matrix, or an inverse diagonal and the matrix");
    }
    const auto [low, high] = gershgorin_bounds(matrix, scaled);
    return function == "gershgorin_low" ? low : high;
  };
}

template std::pair<double, double> gershgorin_bounds(const CsrView<float>&, bool);
template std::pair<double, double> gershgorin_bounds(const CsrView<double>&, bool);
template MatrixFunction functions_of(const CsrView<float>&);
template MatrixFunction functions_of(const CsrView<double>&);

}  // namespace sparsecast
