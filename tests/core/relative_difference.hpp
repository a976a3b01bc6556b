#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace sparsecast {

/// ||a - b|| / ||b||: what rounding may make two who did the same differ by.
template <class A, class B>
double relative_difference(const std::vector<A>& a, const std::vector<B>& b) {
  double sum = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(sum / norm);
}

}  // namespace sparsecast
