#pragma once

#include <cstdint>

/// @file
/// What products of formats with plain loops share: the sum output . input.

namespace sparsecast {

/// sum += a . b over [begin, end), in double precision.
template <class T>
void add_dot(const T* a, const T* b, std::int64_t begin, std::int64_t end, double& sum) {
  constexpr std::int64_t lanes = 8;
  double parts[lanes] = {};
  std::int64_t k = begin;
  for (; k + lanes <= end; k += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      parts[lane] += static_cast<double>(a[k + lane]) * static_cast<double>(b[k + lane]);
    }
  }
  for (; k < end; ++k) parts[0] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  for (const double part : parts) sum += part;
}

}  // namespace sparsecast
