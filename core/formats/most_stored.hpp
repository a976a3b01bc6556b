#pragma once

#include <algorithm>
#include <cstdint>

/// @file
/// How much padding formats store before they refuse a matrix.

namespace sparsecast {

/// Values for each nonzero beyond which none could ever pay.
inline constexpr std::int64_t most_fill = 4;

/// The most values, padding included, that are stored of a segment of so many nonzeros: `most_fill`
/// times as many, or 2^20, which take little.
constexpr std::int64_t most_stored_values(std::int64_t nonzeros) {
  constexpr std::int64_t little = 1 << 20;
  return std::max(little, most_fill * nonzeros);
}

}  // namespace sparsecast
